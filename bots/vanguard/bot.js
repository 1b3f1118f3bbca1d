// Grows in one piece, masses where it can attack, and attacks where it clearly has more troops.
import { serve } from "../sdk/typescript/dist/src/index.js";

const CLEARLY_MORE = 2;

function start(game) {
  const { neighbours, colours: mine } = game;
  const { actions } = game.rules;

  return ({ rows: { owner, troops } }, legal) => {
    const owned = (territory) => mine.has(owner[territory]);
    const enemies = (territory) => neighbours[territory].filter((next) => !owned(next));
    const friends = (territory) => neighbours[territory].length - enemies(territory).length;
    const lead = (from, to) => troops[from] - troops[to];
    const bestLead = (from) => Math.max(-Infinity, ...enemies(from).map((to) => lead(from, to)));

    // What each kind of action is worth; undefined where it is worse than to stop.
    const worth = {
      trade: () => 1,
      stars: ({ a, b }) => a + 2 * b,
      bonus: ({ a }) => bestLead(a),
      capital: ({ a }) => -neighbours[a].length,
      headquarters: ({ a }) => troops[a] - enemies(a).length,
      claim: ({ a }) => friends(a),
      place: ({ a, c }) => (mine.has(c) ? bestLead(a) : -troops[a]),
      deploy: ({ a }) => bestLead(a),
      defend: () => 1,
      occupy: () => 1,
      attack: ({ a, b }) => (lead(a, b) >= CLEARLY_MORE ? lead(a, b) : undefined),
      objective: () => 1,
      airfield: ({ a }) => enemies(a).length,
      fortify: ({ a, b }) => (enemies(a).length === 0 && enemies(b).length > 0 ? troops[a] : undefined),
    };

    let best = legal.findIndex((range) => actions[range.kind].name === "end");
    let most = undefined;
    legal.forEach((range, index) => {
      const value = worth[actions[range.kind].name]?.(range);
      if (value !== undefined && (most === undefined || value > most)) [best, most] = [index, value];
    });
    const range = legal[Math.max(best, 0)];
    // Who captures a territory leaves no more behind than what the old one needs against its neighbours.
    const name = actions[range.kind].name;
    const amount = name === "occupy" && enemies(range.a).length > enemies(range.b).length ? range.lo : range.hi;
    return range.action(amount);
  };
}

await serve(start, { name: "vanguard", version: "1" });
