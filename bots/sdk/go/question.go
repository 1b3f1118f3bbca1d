package bot

import (
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/proto"

	"conquest-arena/bot/arenapb"
)

// Question is one decision of one seat.
type Question struct {
	ID       uint32
	Game     *Game
	View     View    // what the seat may see
	Legal    []Range // what it may do; never empty
	Events   []Event // what it saw happen since its last question
	GameLeft time.Duration
}

// Check says what is wrong with an answer to this question, for tests; nil when it is legal. A plan's further
// actions are not looked at: they answer questions yet to come.
func (q *Question) Check(answer Answer) error {
	if len(answer.Actions) == 0 {
		if answer.Range < 0 || answer.Range >= len(q.Legal) {
			return fmt.Errorf("range %d does not exist: the question has 0..%d", answer.Range, len(q.Legal)-1)
		}
		if r := q.Legal[answer.Range]; answer.Amount < r.Lo || answer.Amount > r.Hi {
			return fmt.Errorf("amount %d is not within %d..%d", answer.Amount, r.Lo, r.Hi)
		}
		return nil
	}
	n := answer.Actions[0].N
	for _, r := range q.Legal {
		if r.Action(n) == answer.Actions[0] && r.Lo <= n && n <= r.Hi {
			return nil
		}
	}
	return fmt.Errorf("action %+v is not legal", answer.Actions[0])
}

// Recorded reads a game and questions of it as they travelled, a GameStart and a DecideBatch: for tests of a bot.
func Recorded(gameStart, decideBatch []byte) (*Game, []*Question, error) {
	var start arenapb.GameStart
	var batch arenapb.DecideBatch
	if err := proto.Unmarshal(gameStart, &start); err != nil {
		return nil, nil, fmt.Errorf("game: %w", err)
	}
	if err := proto.Unmarshal(decideBatch, &batch); err != nil {
		return nil, nil, fmt.Errorf("questions: %w", err)
	}
	game, err := newGame(&start, func(string) {})
	if err != nil {
		return nil, nil, err
	}
	questions := make([]*Question, len(batch.Decides))
	for i, asked := range batch.Decides {
		if questions[i], err = game.question(asked); err != nil {
			return nil, nil, fmt.Errorf("question %d: %w", i, err)
		}
	}
	return game, questions, nil
}

// Range is one kind of action with its operands, and an amount from Lo to Hi, both included.
type Range struct {
	Index   int // its place in the question's legal list
	Kind    int // index into Rules.Actions
	A, B, C int
	Lo, Hi  int
}

// Answer is this range with an amount.
func (r Range) Answer(amount int) Answer { return Answer{Range: r.Index, Amount: amount} }

// First is the range's lowest amount.
func (r Range) First() Answer { return r.Answer(r.Lo) }

// Last is the range's highest amount.
func (r Range) Last() Answer { return r.Answer(r.Hi) }

// Sample is the range with any amount, each equally likely.
func (r Range) Sample(rng *rand.Rand) Answer { return r.Answer(r.Lo + rng.IntN(r.Hi-r.Lo+1)) }

// Action is the range with an amount as an action, as Play takes it.
func (r Range) Action(amount int) Action { return Action{r.Kind, r.A, r.B, r.C, amount} }

// Action is a kind of action with its operands and amount.
type Action struct{ Kind, A, B, C, N int }

// Answer is a range's index with an amount, or one or more actions.
type Answer struct {
	Range, Amount int
	Actions       []Action
}

// Play answers with an action. Further ones are a plan: each answers the seat's next question in this game without
// its being asked, while it is legal; the rest is dropped at the first that is not, at dice, and at others' doings.
func Play(action Action, plan ...Action) Answer {
	return Answer{Actions: append([]Action{action}, plan...)}
}

// Event is something that happened.
type Event struct {
	Kind    int // index into Rules.Events
	Seat    int // the seat it is about; -1 for none
	A, B, C int // 255 stands for nobody, or nothing that may be seen
	N       int
	Dice    []int32
}

func (a Answer) act(id uint32) *arenapb.Act {
	act := &arenapb.Act{DecisionId: id, Range: uint32(a.Range), Amount: int32(a.Amount)}
	for _, action := range a.Actions {
		act.Actions = append(act.Actions, &arenapb.Action{
			Kind: uint32(action.Kind),
			A:    uint32(action.A),
			B:    uint32(action.B),
			C:    uint32(action.C),
			N:    int32(action.N),
		})
	}
	return act
}

func (g *Game) question(asked *arenapb.Decide) (*Question, error) {
	view, err := g.layout.view(asked.View)
	if err != nil {
		return nil, err
	}
	legal, err := unpackLegal(asked.Legal)
	if err != nil {
		return nil, err
	}
	events, err := unpackEvents(asked.Events)
	if err != nil {
		return nil, err
	}
	return &Question{asked.DecisionId, g, view, legal, events, milliseconds(asked.GameLeftMs)}, nil
}
