// Plays anything legal.
package main

import "conquest-arena/bot"

func main() {
	bot.Main(bot.Info{Name: "sdk_go_random", Version: "1"}, start)
}

func start(game *bot.Game) bot.Decide {
	return func(q *bot.Question) bot.Answer {
		return q.Legal[game.Rand.IntN(len(q.Legal))].Sample(game.Rand)
	}
}
