package bot

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"conquest-arena/bot/arenapb"
)

// Game is one game as one seat plays it; it says all that a bot needs to know.
type Game struct {
	Number      uint32 // number of this seat's game on this connection
	Seat        int    // the bot's seat
	Players     []string
	Limits      Limits
	Rules       *arenapb.Rules
	Ruleset     json.RawMessage // the whole resolved ruleset
	RulesetHash string          // equal hashes are equal games

	// Neighbours of each territory, from the ruleset's board; empty lists where the game has no borders.
	Neighbours [][]int
	// Rand is seeded for this bot in this game: use no other randomness and the game can be repeated exactly.
	Rand *rand.Rand
	// OnEnd, where it is set, is called with how the game ended.
	OnEnd func(end *arenapb.GameEnd)

	options map[string]string
	layout  *layout
	log     func(text string)
}

// Limits are the clocks.
type Limits struct {
	Decision  time.Duration // for one decision
	Game      time.Duration // for all decisions of the seat in the game: its bank
	Increment time.Duration // what each answer adds to the bank
	Clocked   bool          // false where no clock runs, for debugging: no decision is late then
}

func newGame(start *arenapb.GameStart, log func(string)) (*Game, error) {
	var ruleset struct {
		Board struct {
			Borders [][2]string `json:"borders"`
		} `json:"board"`
	}
	if err := json.Unmarshal([]byte(start.Ruleset), &ruleset); err != nil {
		return nil, fmt.Errorf("game %d: the ruleset cannot be read: %w", start.Game, err)
	}
	return &Game{
		Number:      start.Game,
		Seat:        int(start.Seat),
		Players:     start.Players,
		Limits:      newLimits(start.GetLimits()),
		Rules:       start.Rules,
		Ruleset:     json.RawMessage(start.Ruleset),
		RulesetHash: start.RulesetHash,
		Neighbours:  neighbours(start.Rules.Territories, ruleset.Board.Borders),
		Rand:        newRand(start.BotSeed),
		options:     start.Options,
		layout:      newLayout(start.Rules),
		log:         log,
	}, nil
}

func newLimits(limits *arenapb.Limits) Limits {
	return Limits{
		Decision:  milliseconds(limits.GetDecisionMs()),
		Game:      milliseconds(limits.GetGameMs()),
		Increment: milliseconds(limits.GetIncrementMs()),
		Clocked:   !limits.GetUnclocked(),
	}
}

// Kind is the number of an action kind, -1 where the game has none of that name.
func (g *Game) Kind(name string) int {
	return slices.IndexFunc(g.Rules.Actions, func(kind *arenapb.Kind) bool { return kind.Name == name })
}

// Commands says whether a colour, as a view's `owner` has it, is this seat's.
func (g *Game) Commands(colour int32) bool {
	return colour >= 0 && int(colour) < len(g.Rules.ColourSeats) && int(g.Rules.ColourSeats[colour]) == g.Seat
}

// Option reads a setting of the bot's entry into `value` and leaves it alone where the entry does not set it.
func (g *Game) Option(name string, value any) error {
	text, found := g.options[name]
	if !found {
		return nil
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("option %s = %s: %w", name, text, err)
	}
	return nil
}

// Log writes a line to the author's log on the server.
func (g *Game) Log(format string, values ...any) { g.log(fmt.Sprintf(format, values...)) }

func newRand(seed []byte) *rand.Rand {
	var key [32]byte
	copy(key[:], seed)
	return rand.New(rand.NewChaCha8(key))
}

func neighbours(territories []string, borders [][2]string) [][]int {
	near := make([][]int, len(territories))
	for _, border := range borders {
		a, b := slices.Index(territories, border[0]), slices.Index(territories, border[1])
		if a >= 0 && b >= 0 {
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
	}
	return near
}

func milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }
