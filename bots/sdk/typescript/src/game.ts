import type { GameStart } from "./gen/arena/v1/play.js";
import type { Kind, Rules } from "./gen/arena/v1/rules.js";
import { Random } from "./random.js";

/** The parts of a resolved ruleset that every game has; a variant's own are there, too. */
export interface Ruleset {
  readonly name: string;
  readonly family: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly board: {
    readonly territories: readonly { readonly id: string; readonly name: string; readonly region: string }[];
    readonly regions: readonly { readonly id: string; readonly name: string; readonly bonus: number }[];
    readonly borders: readonly (readonly [string, string])[];
  };
  readonly [part: string]: unknown;
}

/** The clocks, in milliseconds. */
export interface Limits {
  /** For one decision. */
  readonly decisionMs: number;
  /** For all decisions of the seat in the game: its bank. */
  readonly gameMs: number;
  /** What each answer adds to the bank. */
  readonly incrementMs: number;
  /** False where no clock runs, for debugging: no decision is late then. */
  readonly clocked: boolean;
}

/** One game of one seat: all that was said when it began. */
export class Game {
  /** The bot's seat. */
  readonly seat: number;
  /** Vocabulary: names of kinds, colours, territories, cards and phases. */
  readonly rules: Rules;
  /** The whole resolved ruleset. */
  readonly ruleset: Ruleset;
  /** The ruleset as text, which EngineService takes. */
  readonly rulesetText: string;
  /** Equal hashes are equal games. */
  readonly rulesetHash: string;
  /** The clocks. */
  readonly limits: Limits;
  /** Labels of the players by seat; empty where they stay unknown. */
  readonly players: readonly string[];
  /** Settings of the bot's entry. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Seeded for this bot in this game: use no other, and the match repeats exactly. */
  readonly random: Random;
  /** For every territory the numbers of its neighbours; empty in a game without borders. */
  readonly neighbours: readonly (readonly number[])[];
  /** The colours that this seat commands. */
  readonly colours: ReadonlySet<number>;

  constructor(start: GameStart) {
    if (!start.rules) throw new Error("a game began without its rules");
    this.seat = start.seat;
    this.rules = start.rules;
    this.ruleset = JSON.parse(start.ruleset);
    this.rulesetText = start.ruleset;
    this.rulesetHash = start.rulesetHash;
    const { unclocked = false, ...limits } = start.limits ?? { decisionMs: 0, gameMs: 0, incrementMs: 0 };
    this.limits = { ...limits, clocked: !unclocked };
    this.players = start.players;
    this.options = Object.fromEntries(Object.entries(start.options).map(([key, text]) => [key, JSON.parse(text)]));
    this.random = new Random(start.botSeed);
    this.neighbours = neighboursOf(this.rules.territories, this.ruleset.board.borders);
    const colours = this.rules.colourSeats.flatMap((seat, colour) => (seat === this.seat ? [colour] : []));
    this.colours = new Set(colours);
  }

  /** What kind of action a number stands for. */
  action(kind: number): Kind {
    return this.rules.actions[kind];
  }

  /** What kind of event a number stands for. */
  event(kind: number): Kind {
    return this.rules.events[kind];
  }

  /** The number of a kind of action; -1 when this game has none of that name. */
  actionKind(name: string): number {
    return this.rules.actions.findIndex((kind) => kind.name === name);
  }
}

function neighboursOf(territories: readonly string[], borders: Ruleset["board"]["borders"]): number[][] {
  const near: number[][] = territories.map(() => []);
  const number = new Map(territories.map((id, index) => [id, index]));
  for (const [one, other] of borders) {
    const [a, b] = [number.get(one), number.get(other)];
    if (a === undefined || b === undefined) continue;
    near[a].push(b);
    near[b].push(a);
  }
  return near;
}
