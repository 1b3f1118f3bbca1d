package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conquest-arena/bot/arenapb"
)

// endWithin is how long games that still think may take to come to an end when the last stream has ended.
const endWithin = time.Second

// Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
const shortPause, longPause = 200 * time.Millisecond, 2 * time.Second

// session is all that a process plays; it outlives broken streams, and for a time, if told so, ended ones.
type session struct {
	info     Info
	start    Start
	thinking chan struct{} // a place for each game that may think at once
	running  sync.WaitGroup
	now      *connection
}

func newSession(info Info, start Start) *session {
	made := &session{info: info, start: start, thinking: make(chan struct{}, info.Parallel)}
	made.now = newConnection(made)
	return made
}

// run plays until the server has no more games, or has been away for too long.
func (s *session) run(ctx context.Context, client arenapb.PlayServiceClient) error {
	defer s.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.connect(ctx, client, max(connectWithin, s.info.Retry))
	if err != nil && ctx.Err() == nil {
		return err
	}
	retryUntil, pause := time.Now().Add(s.info.Retry), shortPause
	for err == nil {
		joined, resume, refused := s.play(stream)
		if refused != nil && ctx.Err() == nil {
			return refused
		}
		if joined {
			retryUntil, pause = time.Now().Add(s.info.Retry), shortPause
		} else {
			sleep(ctx, min(pause, time.Until(retryUntil)))
			pause = min(2*pause, longPause)
		}
		wait := max(resume, time.Until(retryUntil))
		if wait <= 0 {
			return nil
		}
		stream, err = openStream(ctx, client, wait)
	}
	return nil
}

// connect makes the first stream; the error says what is wrong and what to set.
func (s *session) connect(
	ctx context.Context, client arenapb.PlayServiceClient, patience time.Duration,
) (arenapb.PlayService_PlayClient, error) {
	stream, err := openStream(ctx, client, min(patience, lookAfter))
	if err != nil && ctx.Err() == nil {
		if trouble := troubleWithTLS(ctx, s.info.Address, s.info.CA); trouble != nil {
			return nil, trouble
		}
	}
	if err != nil && patience > lookAfter {
		stream, err = openStream(ctx, client, patience-lookAfter)
	}
	if err != nil {
		return nil, fmt.Errorf("no server answers at %s within %v: is it running, and is ARENA_ADDRESS right? (%s)",
			s.info.Address, patience, status.Convert(err).Message())
	}
	return stream, nil
}

// openStream makes a stream once a server is there, which may take so long.
func openStream(
	ctx context.Context, client arenapb.PlayServiceClient, patience time.Duration,
) (arenapb.PlayService_PlayClient, error) {
	ctx, cancel := context.WithCancel(ctx)
	overdue := time.AfterFunc(patience, cancel)
	stream, err := client.Play(ctx, grpc.WaitForReady(true))
	if !overdue.Stop() && err == nil {
		err = status.FromContextError(ctx.Err()).Err()
	}
	return stream, err
}

// play plays one stream to its end: whether the server let the bot join, for how long it may be resumed, and why the
// bot was refused, if it was.
func (s *session) play(stream arenapb.PlayService_PlayClient) (joined bool, resume time.Duration, refused error) {
	known := s.now.id != ""
	joined, asked, err := s.follow(stream)
	if errors.Is(err, io.EOF) {
		s.forget()
		return joined, 0, nil
	}
	ended, isStatus := status.FromError(err)
	if !isStatus {
		return joined, 0, err
	}
	switch ended.Code() {
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal: // broken for no fault of the bot's
		if asked {
			return joined, s.now.resume, nil
		}
		if known || joined || s.info.Retry > 0 {
			return joined, 0, nil
		}
	case codes.Unauthenticated, codes.NotFound:
		if known { // the games have ended meanwhile
			s.forget()
			return joined, 0, nil
		}
		return joined, 0, fmt.Errorf("the server refuses the token in ARENA_TOKEN: %s", ended.Message())
	case codes.AlreadyExists:
		if s.info.Retry > 0 { // the server may not know yet that an earlier connection is dead
			return joined, 0, nil
		}
	}
	return joined, 0, fmt.Errorf("the server ended the stream: %s", ended.Message())
}

// follow joins and handles what the server says until the stream ends; io.EOF when it ended well. `joined` is whether
// the server let the bot in, `asked` whether it asked anything.
func (s *session) follow(stream arenapb.PlayService_PlayClient) (joined, asked bool, err error) {
	s.now.out.use(stream)
	defer func() { s.now.out.use(nil) }()
	s.now.out.send(&arenapb.PlayRequest{Content: &arenapb.PlayRequest_Join{Join: s.join()}})
	for {
		response, err := stream.Recv()
		if err != nil {
			return joined, asked, err
		}
		switch content := response.Content.(type) {
		case *arenapb.PlayResponse_Welcome:
			joined = true
			if !content.Welcome.Resumed {
				s.forget()
				s.now.out.use(stream)
			}
			s.now.id, s.now.resume = content.Welcome.ConnectionId, milliseconds(content.Welcome.ResumeMs)
		case *arenapb.PlayResponse_GameStart:
			if err := s.now.startGame(content.GameStart); err != nil {
				return joined, asked, err
			}
		case *arenapb.PlayResponse_Decides:
			asked = true
			for _, question := range content.Decides.Decides {
				s.now.ask(question)
			}
		case *arenapb.PlayResponse_GameEnd:
			s.now.endGame(content.GameEnd.Game, content.GameEnd)
		}
	}
}

func (s *session) join() *arenapb.Join {
	return &arenapb.Join{
		Token:        s.info.Token,
		Name:         s.info.Name,
		Version:      s.info.Version,
		MaxQuestions: uint32(max(0, s.info.MaxQuestions)),
		ConnectionId: s.now.id,
		Acknowledged: s.now.received,
		SkipEvents:   s.info.SkipEvents,
	}
}

// forget leaves the games of a connection that is over; what they still think has nowhere to go.
func (s *session) forget() {
	s.now.close()
	s.now = newConnection(s)
}

// leave waits a moment for games that still think.
func (s *session) leave() {
	s.now.close()
	ended := make(chan struct{})
	go func() { s.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endWithin):
	}
}

// think runs a function of the bot's, at most so many of them at once.
func (s *session) think(function func()) {
	s.thinking <- struct{}{}
	defer func() { <-s.thinking }()
	function()
}

func sleep(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
