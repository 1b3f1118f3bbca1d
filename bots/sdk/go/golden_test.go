package bot

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"conquest-arena/bot/arenapb"
)

const testdata = "../testdata"

// expectation is what the platform says is in its golden bytes.
type expectation struct {
	Game struct {
		Game        uint32         `json:"game"`
		Seat        int            `json:"seat"`
		DecisionMs  int64          `json:"decision_ms"`
		GameMs      int64          `json:"game_ms"`
		IncrementMs int64          `json:"increment_ms"`
		Unclocked   bool           `json:"unclocked"`
		Players     []string       `json:"players"`
		Options     map[string]int `json:"options"`
		Actions     []string       `json:"actions"`
		Events      []string       `json:"events"`
		Territories []string       `json:"territories"`
		ColourSeats []int32        `json:"colour_seats"`
		Borders     [][2]string    `json:"borders"`
	} `json:"game"`
	Decides []struct {
		DecisionID uint32             `json:"decision_id"`
		GameLeftMs int64              `json:"game_left_ms"`
		View       map[string][]int32 `json:"view"`
		Legal      []struct{ Kind, A, B, C, Lo, Hi int }
		Events     []struct {
			Kind, Seat, A, B, C, N int
			Dice                   []int32
		}
	} `json:"decides"`
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(testdata, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func golden(t *testing.T, variant string) (*Game, []*Question, expectation) {
	t.Helper()
	var expected expectation
	if err := json.Unmarshal(read(t, variant+".json"), &expected); err != nil {
		t.Fatal(err)
	}
	game, questions, err := Recorded(read(t, variant+".game_start.bin"), read(t, variant+".decides.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) != len(expected.Decides) || len(questions) == 0 {
		t.Fatalf("%d questions, not %d", len(questions), len(expected.Decides))
	}
	return game, questions, expected
}

func each(t *testing.T, check func(*testing.T, *Game, []*Question, expectation)) {
	for _, variant := range []string{"classic", "command_room", "endor"} {
		t.Run(variant, func(t *testing.T) {
			game, questions, expected := golden(t, variant)
			check(t, game, questions, expected)
		})
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func names(kinds []*arenapb.Kind) []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Name)
	}
	return names
}

func TestReadsAGame(t *testing.T) {
	each(t, func(t *testing.T, game *Game, _ []*Question, expected expectation) {
		want := expected.Game
		equal(t, "number", game.Number, want.Game)
		equal(t, "seat", game.Seat, want.Seat)
		equal(t, "players", game.Players, want.Players)
		equal(t, "decision limit", game.Limits.Decision.Milliseconds(), want.DecisionMs)
		equal(t, "game limit", game.Limits.Game.Milliseconds(), want.GameMs)
		equal(t, "increment", game.Limits.Increment.Milliseconds(), want.IncrementMs)
		equal(t, "clocked", game.Limits.Clocked, !want.Unclocked)
		equal(t, "actions", names(game.Rules.Actions), want.Actions)
		equal(t, "events", names(game.Rules.Events), want.Events)
		equal(t, "territories", game.Rules.Territories, want.Territories)
		equal(t, "last kind", game.Kind(want.Actions[len(want.Actions)-1]), len(want.Actions)-1)
		equal(t, "unknown kind", game.Kind("unheard_of"), -1)
		own := slices.Index(want.ColourSeats, int32(want.Seat))
		equal(t, "own colour", game.Commands(int32(own)), true)
		equal(t, "no colours", game.Commands(-1) || game.Commands(99), false)
		pace, other := 1, 1
		equal(t, "option", game.Option("pace", &pace), nil)
		equal(t, "unset option", game.Option("unheard_of", &other), nil)
		equal(t, "options", []int{pace, other}, []int{want.Options["pace"], 1})
		var text string
		if err := game.Option("pace", &text); err == nil || !strings.Contains(err.Error(), "option pace = 3") {
			t.Errorf("an option of another type: %v", err)
		}
	})
}

func TestReadsBordersAsNeighbours(t *testing.T) {
	each(t, func(t *testing.T, game *Game, _ []*Question, expected expectation) {
		count := 0
		for _, near := range game.Neighbours {
			count += len(near)
		}
		equal(t, "neighbours", count, 2*len(expected.Game.Borders))
		for _, border := range expected.Game.Borders {
			a, b := slices.Index(game.Rules.Territories, border[0]), slices.Index(game.Rules.Territories, border[1])
			if !slices.Contains(game.Neighbours[a], b) || !slices.Contains(game.Neighbours[b], a) {
				t.Errorf("%v is no border", border)
			}
		}
	})
}

func TestReadsViewsByFieldName(t *testing.T) {
	each(t, func(t *testing.T, game *Game, questions []*Question, expected expectation) {
		for i, question := range questions {
			want := expected.Decides[i]
			equal(t, "id", question.ID, want.DecisionID)
			equal(t, "time left", question.GameLeft.Milliseconds(), want.GameLeftMs)
			equal(t, "fields", len(want.View), len(game.Rules.Fields))
			for field, values := range want.View {
				equal(t, field, question.View.Values(field), values)
			}
			equal(t, "lap", question.View.Value("lap"), int(want.View["lap"][0]))
			equal(t, "no such field", question.View.Has("unheard_of"), false)
		}
	})
}

func TestReadsRangesAndEvents(t *testing.T) {
	each(t, func(t *testing.T, _ *Game, questions []*Question, expected expectation) {
		for i, question := range questions {
			var legal []Range
			for index, r := range expected.Decides[i].Legal {
				legal = append(legal, Range{index, r.Kind, r.A, r.B, r.C, r.Lo, r.Hi})
			}
			equal(t, "legal", question.Legal, legal)
			var events []Event
			for _, e := range expected.Decides[i].Events {
				events = append(events, Event{e.Kind, e.Seat, e.A, e.B, e.C, e.N, e.Dice})
			}
			equal(t, "events", question.Events, events)
		}
	})
}

func TestAFieldThatIsNotThereIsNamed(t *testing.T) {
	_, questions, _ := golden(t, "classic")
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, `"trops"`) || !strings.Contains(said, "troops") {
			t.Errorf("panic %q", said)
		}
	}()
	questions[0].View.Values("trops")
}

func TestEqualSeedsMakeEqualLuck(t *testing.T) {
	draw := func(seed string) []uint64 {
		rng := newRand([]byte(seed))
		return []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
	}
	equal(t, "draws", draw("0123456789abcdef"), draw("0123456789abcdef"))
	if reflect.DeepEqual(draw("0123456789abcdef"), draw("1123456789abcdef")) {
		t.Error("other seeds make equal luck")
	}
}

func packed(words ...int32) []byte {
	var bytes []byte
	for _, word := range words {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(word))
	}
	return bytes
}

func TestCutBytesAreAnErrorThatSaysWhat(t *testing.T) {
	game, _, _ := golden(t, "classic")
	_, view := game.layout.view(packed(1, 2, 3))
	_, legal := unpackLegal(packed(0, 1))
	_, none := unpackLegal(nil)
	_, header := unpackEvents(packed(0, 0, 0))
	_, dice := unpackEvents(packed(0, 0, 0, 2, 6))
	_, negative := unpackEvents(packed(0, 0, 0, -1))
	_, odd := unpackEvents([]byte{1, 2, 3})
	for what, err := range map[string]error{
		"3 words": view, "8 bytes": legal, "0 bytes": none, "cut short after 0": header,
		"cut short": dice, "short after 0": negative, "whole words": odd,
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v does not say %q", err, what)
		}
	}
}

func TestCheckTellsLegalAnswersFromOthers(t *testing.T) {
	_, questions, _ := golden(t, "classic")
	for _, question := range questions {
		for _, r := range question.Legal {
			for _, good := range []Answer{r.First(), r.Last(), Play(r.Action(r.Hi))} {
				if err := question.Check(good); err != nil {
					t.Error(err)
				}
			}
			if question.Check(r.Answer(r.Hi+1)) == nil {
				t.Error("too high an amount is legal")
			}
		}
		if question.Check(Answer{Range: len(question.Legal)}) == nil || question.Check(Play(Action{Kind: 250})) == nil {
			t.Error("what was not offered is legal")
		}
	}
}
