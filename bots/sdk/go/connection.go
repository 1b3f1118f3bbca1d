package bot

import (
	"fmt"
	"os"
	"time"

	"conquest-arena/bot/arenapb"
)

// questionsAhead is how many questions a game may be behind: more than one only after a timeout.
const questionsAhead = 64

// connection is what the server counts games and questions by; it may take several streams.
type connection struct {
	session  *session
	id       string
	resume   time.Duration
	received uint32 // the highest question
	games    map[uint32]*table
	answers  *memory
	out      *outbox
}

// table is where one game is played.
type table struct {
	questions chan *arenapb.Decide
	end       *arenapb.GameEnd // set before questions is closed; nil when the game did not end
}

func newConnection(of *session) *connection {
	return &connection{session: of, games: map[uint32]*table{}, answers: newMemory(), out: &outbox{}}
}

// startGame begins a game, unless it is known: then it was sent again after a resume.
func (c *connection) startGame(start *arenapb.GameStart) error {
	if _, known := c.games[start.Game]; known {
		return nil
	}
	game, err := newGame(start, c.out.log)
	if err != nil {
		return err
	}
	opened := &table{questions: make(chan *arenapb.Decide, questionsAhead)}
	c.games[start.Game] = opened
	c.session.running.Add(1)
	go c.play(game, opened)
	return nil
}

func (c *connection) endGame(number uint32, end *arenapb.GameEnd) {
	if ending, found := c.games[number]; found {
		delete(c.games, number)
		ending.end = end
		close(ending.questions)
	}
}

// close leaves all games.
func (c *connection) close() {
	for number := range c.games {
		c.endGame(number, nil)
	}
	c.out.use(nil)
}

// ask hands a question to its game; one that is asked again gets the answer it got before.
func (c *connection) ask(asked *arenapb.Decide) {
	c.received = max(c.received, asked.DecisionId)
	game, found := c.games[asked.Game]
	if !found { // it has ended: nobody waits for the answer
		return
	}
	act, known := c.answers.begin(asked.DecisionId)
	if act != nil {
		c.out.put(act, true)
	}
	if !known {
		game.questions <- asked
	}
}

// play is the life of one game.
func (c *connection) play(game *Game, at *table) {
	defer c.session.running.Done()
	var decide Decide
	c.session.think(func() { decide = c.session.start(game) })
	for asked := range at.questions {
		question, err := game.question(asked)
		if err != nil { // the platform broke its word: nothing that this bot could play on with
			fmt.Fprintf(os.Stderr, "bot: decision %d: %v\n", asked.DecisionId, err)
			os.Exit(1)
		}
		var answer Answer
		c.session.think(func() { answer = decide(question) })
		act := answer.act(asked.DecisionId)
		c.out.put(act, c.answers.finish(act))
	}
	if game.OnEnd != nil && at.end != nil {
		c.session.think(func() { game.OnEnd(at.end) })
	}
}
