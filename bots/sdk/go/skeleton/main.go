// __NAME__: attacks when it has more troops, else plays at random.
package main

import "conquest-arena/bot"

func main() {
	bot.Main(bot.Info{Name: "__NAME__", Version: "1"}, start)
}

// start is called once for every game and seat; what it returns answers the questions of that game.
func start(game *bot.Game) bot.Decide {
	attack := game.Kind("attack")
	return func(q *bot.Question) bot.Answer {
		for _, r := range q.Legal {
			if r.Kind == attack && hasMore(q, r) {
				return r.Last()
			}
		}
		return q.Legal[game.Rand.IntN(len(q.Legal))].Sample(game.Rand)
	}
}

func hasMore(q *bot.Question, r bot.Range) bool {
	troops := q.View.Values("troops")
	return troops[r.A] > troops[r.B]+1
}
