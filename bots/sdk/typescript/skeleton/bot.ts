// __NAME__: attacks when it has more troops, else plays at random.
import type { Decider, Game } from "./conquest-arena-bot/src/index.js";

/** Called once for every game and seat; `view` is what this seat may see, `legal` what it may do. */
export function start(game: Game): Decider {
  const attack = game.actionKind("attack");
  return ({ rows: { troops } }, legal) => {
    const better = legal.find(({ kind, a, b }) => kind === attack && troops[a] > troops[b] + 1);
    return better?.last() ?? game.random.pick(legal).sample(game.random);
  };
}
