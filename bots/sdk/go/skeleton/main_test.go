package main

import (
	"os"
	"testing"

	"conquest-arena/bot"
)

func TestItAttacksWhereItHasMoreTroopsAndEveryAnswerIsLegal(t *testing.T) {
	game, questions, err := bot.Recorded(read(t, "classic.game_start.bin"), read(t, "classic.decides.bin"))
	if err != nil {
		t.Fatal(err)
	}
	decide, attack, chances := start(game), game.Kind("attack"), 0
	for _, question := range questions {
		answer := decide(question)
		if err := question.Check(answer); err != nil {
			t.Fatal(err)
		}
		chance := false
		for _, r := range question.Legal {
			chance = chance || r.Kind == attack && hasMore(question, r)
		}
		if !chance {
			continue
		}
		chances++
		if r := question.Legal[answer.Range]; r.Kind != attack || !hasMore(question, r) {
			t.Errorf("question %d: %+v is no such attack", question.ID, r)
		}
	}
	if chances == 0 {
		t.Error("no recorded question offers such an attack")
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
