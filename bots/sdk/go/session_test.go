package bot

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conquest-arena/bot/arenapb"
)

// play plays a bot against a server; what Serve returned comes through the channel.
func play(server *scripted, start Start) <-chan error {
	ended := make(chan error, 1)
	info := Info{Name: "tested", Version: "1", Address: server.address, Token: "token", Parallel: 2}
	go func() { ended <- Serve(context.Background(), info, start) }()
	return ended
}

// numbered answers with the game's number as the amount.
func numbered(game *Game) Decide {
	return func(q *Question) Answer { return q.Legal[0].Answer(int(game.Number)) }
}

// counting has amount n in its n-th answer, over all games.
func counting(count *atomic.Int32) Start {
	return func(*Game) Decide {
		return func(q *Question) Answer { return q.Legal[0].Answer(int(count.Add(1))) }
	}
}

// slow thinks in game 1 until it is told to go on.
func slow(wait <-chan bool) Start {
	return func(game *Game) Decide {
		return func(q *Question) Answer {
			if game.Number == 1 {
				<-wait
			}
			return q.Legal[0].Answer(int(game.Number))
		}
	}
}

func wellEnded(t *testing.T, ended <-chan error) {
	t.Helper()
	if err := within(t, ended); err != nil {
		t.Error(err)
	}
}

func TestSeveralGamesShareOneStream(t *testing.T) {
	server := listen(t)
	ended := play(server, numbered)
	stream := server.next()
	equal(t, "join", []string{stream.join.Token, stream.join.Name, stream.join.Version}, []string{"token", "tested", "1"})
	stream.start(1, 2, 3)
	stream.ask(asked{1, 1}, asked{2, 2}, asked{3, 3})
	stream.ask(asked{4, 2})
	answers := map[uint32]int32{}
	for range 4 {
		act := stream.act()
		answers[act.DecisionId] = act.Amount
	}
	equal(t, "answers", answers, map[uint32]int32{1: 1, 2: 2, 3: 3, 4: 2})
	stream.close()
	wellEnded(t, ended)
}

func TestAGameThatThinksDoesNotHoldUpAnother(t *testing.T) {
	server, wait := listen(t), make(chan bool)
	ended := play(server, slow(wait))
	stream := server.next()
	stream.start(1, 2)
	stream.ask(asked{1, 1}, asked{2, 2})
	equal(t, "first answer", stream.act().DecisionId, uint32(2))
	close(wait)
	equal(t, "second answer", stream.act().DecisionId, uint32(1))
	stream.close()
	wellEnded(t, ended)
}

func TestC12AQuestionAskedAgainGetsTheSameAnswer(t *testing.T) {
	server, count := listen(t), atomic.Int32{}
	ended := play(server, counting(&count))
	stream := server.next()
	stream.start(1)
	stream.ask(asked{7, 1})
	first := stream.act()
	stream.cut()
	stream = server.next()
	equal(t, "connection", stream.join.ConnectionId, "connection")
	equal(t, "acknowledged", stream.join.Acknowledged, uint32(7))
	stream.start(1) // sent again: to be ignored
	stream.ask(asked{7, 1})
	if again := stream.act(); !proto.Equal(again, first) {
		t.Errorf("%v, not %v again", again, first)
	}
	stream.ask(asked{8, 1})
	equal(t, "next answer", stream.act().Amount, int32(2))
	equal(t, "times the bot was asked", count.Load(), int32(2))
	stream.close()
	wellEnded(t, ended)
}

func TestC12WhatWasThoughtAboutWhenTheStreamBrokeIsAnsweredOnTheNext(t *testing.T) {
	server, wait := listen(t), make(chan bool)
	ended := play(server, slow(wait))
	stream := server.next()
	stream.start(1, 2)
	stream.ask(asked{1, 1}, asked{2, 2})
	equal(t, "first answer", stream.act().DecisionId, uint32(2))
	stream.cut()
	stream = server.next()
	stream.ask(asked{1, 1}, asked{3, 2})
	equal(t, "answer to another game", stream.act().DecisionId, uint32(3))
	wait <- true
	equal(t, "answer after the break", stream.act().DecisionId, uint32(1))
	stream.ask(asked{2, 2})
	equal(t, "answer given before", stream.act().DecisionId, uint32(2))
	stream.close()
	wellEnded(t, ended)
}

func TestC16AQuestionOfAnEndedGameIsNotAnswered(t *testing.T) {
	server, count := listen(t), atomic.Int32{}
	ended := play(server, counting(&count))
	stream := server.next()
	stream.start(1, 2)
	stream.ask(asked{1, 1})
	equal(t, "answer", stream.act().DecisionId, uint32(1))
	stream.end(1, "rules")
	stream.ask(asked{1, 1}, asked{2, 1}, asked{3, 9}, asked{4, 2})
	equal(t, "next answer", stream.act().DecisionId, uint32(4))
	equal(t, "times the bot was asked", count.Load(), int32(2))
	stream.close()
	wellEnded(t, ended)
}

func TestLogsPlansAndHearsOfTheEnd(t *testing.T) {
	server, ends := listen(t), make(chan string, 1)
	ended := play(server, func(game *Game) Decide {
		game.OnEnd = func(end *arenapb.GameEnd) { ends <- end.Termination }
		return func(q *Question) Answer {
			game.Log("question %d", q.ID)
			return Play(q.Legal[0].Action(q.Legal[0].Lo), q.Legal[0].Action(q.Legal[0].Hi))
		}
	})
	stream := server.next()
	stream.start(1)
	stream.ask(asked{1, 1})
	equal(t, "log", within(t, stream.said).GetLog().GetText(), "question 1")
	equal(t, "actions", len(stream.act().Actions), 2)
	stream.end(1, "rules")
	equal(t, "end", within(t, ends), "rules")
	stream.close()
	wellEnded(t, ended)
}

func TestAServerThatGoesAwayIsNoError(t *testing.T) {
	server := listen(t)
	ended := play(server, numbered)
	server.next().cut() // before any question: nothing to resume
	wellEnded(t, ended)
}

func TestItDialsAgainWhileRetryLasts(t *testing.T) {
	server, wait := listen(t), make(chan bool)
	ended := make(chan error, 1)
	info := Info{Address: server.address, Token: "token", Retry: 5 * time.Second, Parallel: 2}
	go func() { ended <- Serve(context.Background(), info, slow(wait)) }()
	stream := server.next()
	stream.start(1)
	stream.ask(asked{1, 1})
	stream.close() // its games are over, while it still thinks about one
	stream = server.next()
	equal(t, "connection", stream.join.ConnectionId, "")
	stream.start(2)
	wait <- true // what it thought about the old question 1 is no answer to the new one
	stream.ask(asked{1, 2})
	equal(t, "amount", stream.act().Amount, int32(2))
	stream.over <- status.Error(codes.AlreadyExists, "still connected")
	stream = server.next()
	stream.close()
	server.stop()
	wellEnded(t, ended)
}

func TestTheContextEndsIt(t *testing.T) {
	server := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, Info{Address: server.address, Token: "token"}, numbered) }()
	stream := server.next()
	cancel()
	wellEnded(t, ended)
	stream.close()
}

func TestARefusedTokenIsAnErrorWithTheServersWords(t *testing.T) {
	server := listen(t)
	err := Serve(context.Background(), Info{Address: server.address, Token: "wrong"}, numbered)
	contains(t, err, "refuses the token", "unknown token")
}

func TestNobodyAtTheAddressIsAnErrorThatNamesIt(t *testing.T) {
	connectWithin = 300 * time.Millisecond
	defer func() { connectWithin = 10 * time.Second }()
	err := Serve(context.Background(), Info{Address: "unix:/nowhere/at/all"}, numbered)
	contains(t, err, "no server answers at unix:/nowhere/at/all within 300ms", "ARENA_ADDRESS", "no such file")
}

func TestWrongSettingsAreErrorsThatNameThem(t *testing.T) {
	t.Setenv("ARENA_ADDRESS", "")
	contains(t, Serve(context.Background(), Info{}, numbered), "ARENA_ADDRESS")
	for _, address := range []string{"foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000"} {
		err := Serve(context.Background(), Info{Address: address}, numbered)
		contains(t, err, "ARENA_ADDRESS: "+address+" is neither host:port nor unix:/path")
	}
	missing := Info{Address: "localhost:1", CA: "/nowhere/at/all.pem"}
	contains(t, Serve(context.Background(), missing, numbered), "ARENA_CA")
	t.Setenv("ARENA_RETRY", "soon")
	contains(t, Serve(context.Background(), missing, numbered), "ARENA_RETRY", "soon")
}

func contains(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil || slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(err.Error(), word) }) {
		t.Errorf("error %v does not say %q", err, words)
	}
}
