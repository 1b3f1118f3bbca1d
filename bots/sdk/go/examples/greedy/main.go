// Attacks where it is stronger by most, deploys there, and moves what stands behind to its front.
package main

import "conquest-arena/bot"

// clearly is by how many troops it wants to be stronger before it attacks.
const clearly = 2

func main() {
	bot.Main(bot.Info{Name: "sdk_go_greedy", Version: "1"}, start)
}

func start(game *bot.Game) bot.Decide {
	player := &greedy{game: game}
	return player.decide
}

// greedy plays one game; owner, troops and toFront are of the question that it answers, by territory.
type greedy struct {
	game          *bot.Game
	owner, troops []int32
	toFront       []int
}

// decide takes what is worth most. What it does not know, it declines, or else takes the first that is no pass.
func (g *greedy) decide(q *bot.Question) bot.Answer {
	best, most := -1, 0
	if q.View.Has("owner") && q.View.Has("troops") {
		g.owner, g.troops = q.View.Values("owner"), q.View.Values("troops")
		g.toFront = g.distances()
		for i, r := range q.Legal {
			if worth, wanted := g.worth(r); wanted && (best < 0 || worth > most) {
				best, most = i, worth
			}
		}
	}
	if best < 0 {
		best = g.decline(q.Legal)
	}
	return g.amount(q.Legal[best])
}

func (g *greedy) decline(legal []bot.Range) int {
	first := -1
	for i, r := range legal {
		switch name := g.name(r); {
		case name == "end":
			return i
		case name != "pass" && first < 0:
			first = i
		}
	}
	return max(0, first)
}

// worth is what a range is worth beside others of the same question, and whether it is wanted at all.
func (g *greedy) worth(r bot.Range) (worth int, wanted bool) {
	switch g.name(r) {
	case "trade", "objective", "defend", "occupy":
		return 1, true
	case "stars":
		return r.A + 2*r.B, true
	case "claim":
		return len(g.game.Neighbours[r.A]) - g.enemies(r.A), true
	case "place": // of a colour: its own, or one without a seat
		if !g.game.Commands(int32(r.C)) {
			return -int(g.troops[r.A]), true
		}
		return g.lead(r.A), true
	case "deploy", "bonus":
		return g.lead(r.A), true
	case "capital":
		return -len(g.game.Neighbours[r.A]), true
	case "headquarters":
		return int(g.troops[r.A]) - g.enemies(r.A), true
	case "airfield":
		return g.enemies(r.A), true
	case "attack":
		lead := int(g.troops[r.A] - g.troops[r.B])
		return lead, lead >= clearly
	case "fortify":
		return int(g.troops[r.A]), g.toFront[r.B] < g.toFront[r.A]
	}
	return 0, false
}

// amount is all there is, except that a captured territory gets no more than it needs when the old one has more
// enemies.
func (g *greedy) amount(r bot.Range) bot.Answer {
	if g.owner != nil && g.name(r) == "occupy" && g.enemies(r.A) > g.enemies(r.B) {
		return r.First()
	}
	return r.Last()
}

func (g *greedy) name(r bot.Range) string { return g.game.Rules.Actions[r.Kind].Name }

func (g *greedy) enemies(territory int) int {
	count := 0
	for _, near := range g.game.Neighbours[territory] {
		if !g.game.Commands(g.owner[near]) {
			count++
		}
	}
	return count
}

// lead is by how much a territory is stronger than its weakest enemy; far below all others where it has none.
func (g *greedy) lead(territory int) int {
	best := -1 << 30
	for _, near := range g.game.Neighbours[territory] {
		if !g.game.Commands(g.owner[near]) {
			best = max(best, int(g.troops[territory]-g.troops[near]))
		}
	}
	return best
}

// distances are the steps from every own territory through own ones to the next front.
func (g *greedy) distances() []int {
	distances := make([]int, len(g.owner))
	var reached []int
	for territory := range distances {
		distances[territory] = len(distances)
		if g.game.Commands(g.owner[territory]) && g.enemies(territory) > 0 {
			distances[territory] = 0
			reached = append(reached, territory)
		}
	}
	for i := 0; i < len(reached); i++ {
		for _, near := range g.game.Neighbours[reached[i]] {
			if step := distances[reached[i]] + 1; g.game.Commands(g.owner[near]) && step < distances[near] {
				distances[near] = step
				reached = append(reached, near)
			}
		}
	}
	return distances
}
