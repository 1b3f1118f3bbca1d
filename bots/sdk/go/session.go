package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conquest-arena/bot/arenapb"
)

// endWithin is how long games that still think may take to come to an end when the stream has ended.
const endWithin = time.Second

// questionsAhead is how many questions a game may be behind: more than one only after a timeout.
const questionsAhead = 64

// session is all games of one process; it outlives a broken stream.
type session struct {
	start    Start
	thinking chan struct{} // a place for each game that may think at once
	games    map[uint32]*table
	running  sync.WaitGroup
	answers  *memory
	out      *outbox

	connection string
	resume     time.Duration
	received   uint32
	worked     bool // whether questions came since the stream last broke
}

// table is where one game is played.
type table struct {
	questions chan *arenapb.Decide
	end       *arenapb.GameEnd // set before questions is closed; nil when the game did not end
}

func newSession(start Start, parallel int) *session {
	return &session{
		start:    start,
		thinking: make(chan struct{}, parallel),
		games:    map[uint32]*table{},
		answers:  newMemory(),
		out:      &outbox{},
	}
}

// run plays until the server ends the stream; one that breaks is resumed once for every time it worked.
func (s *session) run(ctx context.Context, client arenapb.PlayServiceClient, info Info) error {
	defer s.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := connectWithin
	for {
		stream, err := openStream(ctx, client, patience)
		if err != nil && s.connection == "" && ctx.Err() == nil {
			why := status.Convert(err).Message()
			return fmt.Errorf("no server answers at %s within %v: %s", info.Address, patience, why)
		}
		if err == nil {
			err = s.follow(stream, info)
		}
		if !s.resumable(err) || ctx.Err() != nil {
			return s.verdict(ctx, err)
		}
		patience, s.worked = s.resume, false
	}
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

// follow joins and handles what the server says until the stream ends; io.EOF when it ended well.
func (s *session) follow(stream arenapb.PlayService_PlayClient, info Info) error {
	s.out.use(stream)
	defer s.out.use(nil)
	s.out.send(&arenapb.PlayRequest{Content: &arenapb.PlayRequest_Join{Join: &arenapb.Join{
		Token:        info.Token,
		Name:         info.Name,
		Version:      info.Version,
		MaxQuestions: uint32(max(0, info.MaxQuestions)),
		ConnectionId: s.connection,
		Acknowledged: s.received,
		SkipEvents:   info.SkipEvents,
	}}})
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		if err := s.handle(response); err != nil {
			return err
		}
	}
}

func (s *session) resumable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal:
		return s.worked && s.connection != "" && !errors.Is(err, io.EOF)
	}
	return false
}

// verdict turns the end of the last stream into what the caller should know of it.
func (s *session) verdict(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	refused, isStatus := status.FromError(err)
	if !isStatus {
		return err
	}
	joined := s.connection != ""
	switch refused.Code() {
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal:
		if joined { // the server went away
			return nil
		}
	case codes.Unauthenticated, codes.NotFound:
		if joined { // the games have ended meanwhile
			return nil
		}
		return fmt.Errorf("the server refuses the token in ARENA_TOKEN: %s", refused.Message())
	}
	return fmt.Errorf("the server ended the stream: %s", refused.Message())
}

func (s *session) handle(response *arenapb.PlayResponse) error {
	switch content := response.Content.(type) {
	case *arenapb.PlayResponse_Welcome:
		s.connection = content.Welcome.ConnectionId
		s.resume = milliseconds(content.Welcome.ResumeMs)
	case *arenapb.PlayResponse_GameStart:
		return s.startGame(content.GameStart)
	case *arenapb.PlayResponse_Decides:
		s.worked = true
		for _, asked := range content.Decides.Decides {
			s.ask(asked)
		}
	case *arenapb.PlayResponse_GameEnd:
		s.endGame(content.GameEnd.Game, content.GameEnd)
	}
	return nil
}

// startGame begins a game, unless it is known: then it was sent again after a resume.
func (s *session) startGame(start *arenapb.GameStart) error {
	if _, known := s.games[start.Game]; known {
		return nil
	}
	game, err := newGame(start, s.out.log)
	if err != nil {
		return err
	}
	opened := &table{questions: make(chan *arenapb.Decide, questionsAhead)}
	s.games[start.Game] = opened
	s.running.Add(1)
	go s.play(game, opened)
	return nil
}

func (s *session) endGame(number uint32, end *arenapb.GameEnd) {
	if ending, found := s.games[number]; found {
		delete(s.games, number)
		ending.end = end
		close(ending.questions)
	}
}

// ask hands a question to its game; one that is asked again gets the answer it got before.
func (s *session) ask(asked *arenapb.Decide) {
	s.received = max(s.received, asked.DecisionId)
	game, found := s.games[asked.Game]
	if !found { // it has ended: nobody waits for the answer
		return
	}
	act, known := s.answers.begin(asked.DecisionId)
	if act != nil {
		s.out.put(act, true)
	}
	if !known {
		game.questions <- asked
	}
}

// play is the life of one game.
func (s *session) play(game *Game, at *table) {
	defer s.running.Done()
	var decide Decide
	s.think(func() { decide = s.start(game) })
	for asked := range at.questions {
		question, err := game.question(asked)
		if err != nil { // the platform broke its word: nothing that this bot could play on with
			fmt.Fprintf(os.Stderr, "bot: decision %d: %v\n", asked.DecisionId, err)
			os.Exit(1)
		}
		var answer Answer
		s.think(func() { answer = decide(question) })
		act := answer.act(asked.DecisionId)
		s.out.put(act, s.answers.finish(act))
	}
	if game.OnEnd != nil && at.end != nil {
		s.think(func() { game.OnEnd(at.end) })
	}
}

// think runs a function of the bot's, at most so many of them at once.
func (s *session) think(function func()) {
	s.thinking <- struct{}{}
	defer func() { <-s.thinking }()
	function()
}

// leave closes all games and waits a moment for those that still think.
func (s *session) leave() {
	for number := range s.games {
		s.endGame(number, nil)
	}
	ended := make(chan struct{})
	go func() { s.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endWithin):
	}
}
