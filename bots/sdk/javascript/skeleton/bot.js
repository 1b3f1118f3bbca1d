// __NAME__: attacks when it has more troops, else plays at random.

/**
 * Called once for every game and seat; `view` is what this seat may see, `legal` what it may do.
 * @type {import("./conquest-arena-bot/dist/index.js").Bot}
 */
export function start(game) {
  const attack = game.actionKind("attack");
  return ({ rows: { troops } }, legal) => {
    const better = legal.find(({ kind, a, b }) => kind === attack && troops[a] > troops[b] + 1);
    return better?.last() ?? game.random.pick(legal).sample(game.random);
  };
}
