// Attacks where it is stronger by most, deploys at the front, and brings up what stands behind it.
// It knows kinds of actions and fields by name and no variant: what it does not know it answers at random.
import { type Decider, type Game, type Range, type View, serve } from "conquest-arena-bot";

const NO_ENEMY = -Infinity;

function start(game: Game): Decider {
  const name = (range: Range) => game.action(range.kind).name;
  const enemies = ({ rows }: View, territory: number) =>
    game.neighbours[territory].filter((next) => !game.colours.has(rows.owner[next]));
  /** Troops here over those of the weakest enemy next door. */
  const lead = (view: View, territory: number) =>
    view.rows.troops[territory] - Math.min(...enemies(view, territory).map((next) => view.rows.troops[next]));

  /** What a range is worth; undefined where it is left alone. */
  function worth(view: View, range: Range): number | undefined {
    const { troops } = view.rows;
    if (!troops || game.neighbours.length === 0) return undefined;
    switch (name(range)) {
      case "attack": {
        const more = troops[range.a] - troops[range.b];
        return more > 1 ? more : undefined;
      }
      case "claim":
        return game.neighbours[range.a].length - enemies(view, range.a).length;
      case "deploy":
        return lead(view, range.a);
      case "place":
        return game.colours.has(range.c) ? lead(view, range.a) : undefined;
      case "fortify":
        return lead(view, range.a) === NO_ENEMY && lead(view, range.b) > NO_ENEMY ? troops[range.a] : undefined;
      case "occupy":
      case "trade":
        return 0;
      default:
        return undefined;
    }
  }

  return (view, legal) => {
    let best: Range | undefined;
    let most = -Infinity;
    for (const range of legal) {
      const value = worth(view, range);
      if (value === undefined || (best && value <= most)) continue;
      [best, most] = [range, value];
    }
    if (best) return best.last();
    return legal.find((range) => name(range) === "end") ?? game.random.pick(legal).sample(game.random);
  };
}

await serve(start, { name: "sdk_typescript_greedy", version: "1" });
