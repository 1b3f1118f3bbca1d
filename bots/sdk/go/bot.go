// Package bot plays a bot in Conquest Arena: a function of a view and its legal ranges is all that a bot needs.
//
//	func main() {
//		bot.Main(bot.Info{Name: "mine", Version: "1"}, func(game *bot.Game) bot.Decide {
//			return func(q *bot.Question) bot.Answer { return q.Legal[0].Last() }
//		})
//	}
//
// One stream carries all games of the process. Each game has a goroutine of its own: the functions of one game are
// never called at once, those of several games may be.
package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"conquest-arena/bot/arenapb"
)

// connectWithin is how long a server may take to answer at its address.
var connectWithin = 10 * time.Second

// Start is called once for every game and seat; what it returns answers that game's questions.
type Start func(game *Game) Decide

// Decide answers one question. A panic ends the process, which the arena counts as a crash.
type Decide func(question *Question) Answer

// Info says who the bot is and where the server is; what is left out has a sensible default.
type Info struct {
	Name    string // a label for people
	Version string // the bot's own version

	Address string // host:port or unix:/path; ARENA_ADDRESS unless given
	Token   string // the secret that says who the bot is; ARENA_TOKEN unless given
	CA      string // path of a PEM certificate to trust: over TCP, the stream is encrypted; ARENA_CA unless given
	// Retry is for how long to dial again after the bot was last connected; ARENA_RETRY, in seconds, unless given.
	Retry time.Duration

	Parallel     int  // how many games may think at once; the number of processors unless given
	MaxQuestions int  // how many questions may be open at once over all games; the server decides unless given
	SkipEvents   bool // leaves events out of the questions: faster, but only a plan's first action is played
}

// Main plays until the server has no more games and ends the process: with code 0, or with a message and code 1
// when there is no server or when it refuses the bot.
func Main(info Info, start Start) {
	if err := Serve(context.Background(), info, start); err != nil {
		fmt.Fprintln(os.Stderr, "bot:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Serve plays until the server has no more games, goes away, or the context ends, which are no errors. The error
// says why the bot could not play: no server at the address, or one that refuses it.
func Serve(ctx context.Context, info Info, start Start) error {
	info, err := info.complete()
	if err != nil {
		return err
	}
	conn, err := dial(info.Address, info.CA)
	if err != nil {
		return err
	}
	defer conn.Close()
	return newSession(info, start).run(ctx, arenapb.NewPlayServiceClient(conn))
}

// complete fills in what the environment says.
func (i Info) complete() (Info, error) {
	i.Address = cmp.Or(i.Address, os.Getenv("ARENA_ADDRESS"))
	i.Token = cmp.Or(i.Token, os.Getenv("ARENA_TOKEN"))
	i.CA = cmp.Or(i.CA, os.Getenv("ARENA_CA"))
	i.Parallel = cmp.Or(max(0, i.Parallel), runtime.GOMAXPROCS(0))
	if i.Address == "" {
		return i, errors.New("no server address: set ARENA_ADDRESS to host:port or unix:/path")
	}
	if text := os.Getenv("ARENA_RETRY"); text != "" && i.Retry == 0 {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return i, fmt.Errorf("ARENA_RETRY must be a number of seconds, not %q", text)
		}
		i.Retry = max(0, time.Duration(seconds*float64(time.Second)))
	}
	return i, nil
}
