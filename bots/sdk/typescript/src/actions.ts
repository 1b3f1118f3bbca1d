import type { Random } from "./random.js";

/** One answer: a kind of action with its operands and an amount. */
export interface Action {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly n: number;
}

/** What may be done: all actions kind, a, b, c with an amount from lo to hi, both included. */
export class Range {
  constructor(
    readonly kind: number,
    readonly a: number,
    readonly b: number,
    readonly c: number,
    readonly lo: number,
    readonly hi: number,
  ) {}

  /** The action with an amount; RangeError outside lo..hi. */
  action(n: number): Action {
    if (!(n >= this.lo && n <= this.hi)) throw new RangeError(`amount ${n} is not within ${this.lo}..${this.hi}`);
    return { kind: this.kind, a: this.a, b: this.b, c: this.c, n };
  }

  /** The action with the lowest amount. */
  first(): Action {
    return this.action(this.lo);
  }

  /** The action with the highest amount. */
  last(): Action {
    return this.action(this.hi);
  }

  /** The action with a random amount. */
  sample(random: Random): Action {
    return this.action(this.lo + random.below(this.hi - this.lo + 1));
  }
}

/** Something that the seat saw happen; seat is -1 for nobody, and so are operands of 255. */
export interface Event {
  readonly kind: number;
  readonly seat: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly n: number;
  readonly dice: readonly number[];
}

/**
 * What a bot gives back: an action, a range (its lowest action is meant), or a plan: further actions answer the next
 * questions of this game without asking, as long as they are legal and neither dice nor other seats come in between.
 */
export type Answer = Action | Range | readonly Action[];

/** An answer as the actions that are sent. */
export function actionsOf(answer: Answer): Action[] {
  if (answer instanceof Range) return [answer.first()];
  const actions = Array.isArray(answer) ? [...answer] : [answer as Action];
  const fits = (action: Action) =>
    action &&
    [action.kind, action.a, action.b, action.c, action.n].every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 31);
  if (actions.length === 0 || !actions.every(fits)) {
    throw new TypeError(`a bot must answer an action, a range or a list of actions, not ${JSON.stringify(answer)}`);
  }
  return actions;
}
