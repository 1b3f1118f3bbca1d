package bot

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conquest-arena/bot/arenapb"
)

const patience = 120 * time.Second

// scripted is a real server whose part a test plays, message by message.
type scripted struct {
	arenapb.UnimplementedPlayServiceServer
	t       *testing.T
	streams chan *stream
	address string
	stop    func()
}

// stream is one stream of a bot's, as the server sees it.
type stream struct {
	t    *testing.T
	join *arenapb.Join
	wire arenapb.PlayService_PlayServer
	said chan *arenapb.PlayRequest
	acts []*arenapb.Act
	over chan error
}

// listen serves on a Unix socket of its own until the test ends.
func listen(t *testing.T, options ...grpc.ServerOption) *scripted {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	made := serveOn(t, listener, options...)
	made.address = "unix:" + path
	return made
}

func serveOn(t *testing.T, listener net.Listener, options ...grpc.ServerOption) *scripted {
	made := &scripted{t: t, streams: make(chan *stream, 9), address: listener.Addr().String()}
	server := grpc.NewServer(options...)
	arenapb.RegisterPlayServiceServer(server, made)
	go server.Serve(listener)
	made.stop = server.Stop
	t.Cleanup(server.Stop)
	return made
}

func (s *scripted) Play(wire arenapb.PlayService_PlayServer) error {
	first, err := wire.Recv()
	if err != nil {
		return err
	}
	if first.GetJoin().GetToken() == "wrong" {
		return status.Error(codes.Unauthenticated, "unknown token")
	}
	opened := &stream{s.t, first.GetJoin(), wire, make(chan *arenapb.PlayRequest, 99), nil, make(chan error, 1)}
	s.streams <- opened
	go func() {
		for {
			request, err := wire.Recv()
			if err != nil {
				close(opened.said)
				return
			}
			opened.said <- request
		}
	}()
	return <-opened.over
}

// next is the next stream that a bot opens, already welcomed.
func (s *scripted) next() *stream {
	s.t.Helper()
	opened := within(s.t, s.streams)
	opened.say(&arenapb.PlayResponse{Content: &arenapb.PlayResponse_Welcome{Welcome: &arenapb.Welcome{
		ConnectionId: "connection", Resumed: opened.join.ConnectionId != "", ResumeMs: 5000,
	}}})
	return opened
}

func within[T any](t *testing.T, values <-chan T) T {
	t.Helper()
	select {
	case value := <-values:
		return value
	case <-time.After(patience):
		t.Fatal("nothing came in time")
		panic("not reached")
	}
}

func (s *stream) say(response *arenapb.PlayResponse) {
	s.t.Helper()
	if err := s.wire.Send(response); err != nil {
		s.t.Fatal(err)
	}
}

// start begins games of the golden bytes' kind.
func (s *stream) start(games ...uint32) {
	s.t.Helper()
	for _, game := range games {
		var start arenapb.GameStart
		decode(s.t, "classic.game_start.bin", &start)
		start.Game = game
		s.say(&arenapb.PlayResponse{Content: &arenapb.PlayResponse_GameStart{GameStart: &start}})
	}
}

// asked is a question's number and its game.
type asked struct{ decision, game uint32 }

func (s *stream) ask(questions ...asked) {
	s.t.Helper()
	batch := &arenapb.DecideBatch{}
	for _, question := range questions {
		var golden arenapb.DecideBatch
		decode(s.t, "classic.decides.bin", &golden)
		decide := golden.Decides[int(question.decision)%len(golden.Decides)]
		decide.DecisionId, decide.Game = question.decision, question.game
		batch.Decides = append(batch.Decides, decide)
	}
	s.say(&arenapb.PlayResponse{Content: &arenapb.PlayResponse_Decides{Decides: batch}})
}

func (s *stream) end(game uint32, termination string) {
	s.t.Helper()
	end := &arenapb.GameEnd{Game: game, Termination: termination}
	s.say(&arenapb.PlayResponse{Content: &arenapb.PlayResponse_GameEnd{GameEnd: end}})
}

// act is the next answer, from whatever batch.
func (s *stream) act() *arenapb.Act {
	s.t.Helper()
	for len(s.acts) == 0 {
		request := within(s.t, s.said)
		if request.GetActs() == nil {
			s.t.Fatalf("no answer but %v", request)
		}
		s.acts = request.GetActs().Acts
	}
	act := s.acts[0]
	s.acts = s.acts[1:]
	return act
}

// cut breaks the stream; close ends it well.
func (s *stream) cut()   { s.over <- status.Error(codes.Unavailable, "cut") }
func (s *stream) close() { s.over <- nil }

func decode(t *testing.T, name string, into proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(read(t, name), into); err != nil {
		t.Fatal(err)
	}
}
