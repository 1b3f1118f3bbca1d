import { type Answer, type Event, Range, actionsOf } from "./actions.js";
import { Game } from "./game.js";
import type { Act, Decide, GameEnd, Join, PlayResponse } from "./gen/arena/v1/play.js";
import { Encoding } from "./gen/arena/v1/play.js";
import { type View, unpackEvents, unpackLegal, unpackView, viewOf } from "./packed.js";

/** What else a question says. */
export interface Question {
  /** Its number on this connection. */
  readonly decisionId: number;
  /** What the seat saw happen since its last question. */
  readonly events: readonly Event[];
  /** Time left of the game's limit, in milliseconds. */
  readonly gameLeftMs: number;
}

/** Answers one question of one game. */
export type Decider = (view: View, legal: readonly Range[], question: Question) => Answer | Promise<Answer>;

/** Called once for every game and seat; an object may also hear how the game ended. */
export type Bot = (game: Game) => Decider | { decide: Decider; ended?: (end: GameEnd) => void };

/** How a bot wants to be known and spoken to. */
export interface Settings {
  /** A label for people. */
  name?: string;
  /** The bot's own version. */
  version?: string;
  /** How questions travel: `packed` is faster, `typed` easier to watch; a bot sees no difference. */
  encoding?: "packed" | "typed";
  /** How many open questions it takes at once, over all its games; 0 leaves it to the server. */
  maxQuestions?: number;
}

/** The range that is sent for an answer that fits no Act, so that the referee judges it. */
const NO_RANGE = 2 ** 32 - 1;
const REMEMBERED_ANSWERS = 4096;
// Answers of a batch that are ready leave before the rest when the batch takes longer than this.
const FLUSH_MS = 20;

interface Opened {
  readonly game: Game;
  readonly decide: Decider;
  readonly ended?: (end: GameEnd) => void;
}

/** All games of one bot process; it knows messages, not streams, and outlives a broken stream. */
export class Session {
  /** How long a broken stream may take to resume, in milliseconds. */
  resumeMs = 0;
  /** Whether the last join was accepted. */
  welcomed = false;
  /** Whether anything was asked since the last join. */
  asked = false;
  #games = new Map<number, Opened>();
  #answers = new Map<number, Act>();
  #connectionId = "";
  #acknowledged = 0;

  constructor(
    private readonly bot: Bot,
    private readonly settings: Settings = {},
  ) {}

  /** The first message of a stream: the first time a new connection, later one that resumes it. */
  join(token: string): Join {
    this.welcomed = this.asked = false;
    const { name = "", version = "", encoding = "packed", maxQuestions = 0 } = this.settings;
    return {
      token,
      name,
      version,
      maxQuestions,
      encoding: encoding === "typed" ? Encoding.ENCODING_TYPED : Encoding.ENCODING_PACKED,
      connectionId: this.#connectionId,
      acknowledged: this.#acknowledged,
      skipEvents: false,
    };
  }

  /** Whether a connection was made that may be resumed. */
  get connected(): boolean {
    return this.#connectionId !== "";
  }

  /** Drops a connection that is over; the next join is a new one. */
  forget(): void {
    this.#games.clear();
    this.#answers.clear();
    [this.#connectionId, this.#acknowledged] = ["", 0];
  }

  /** Takes in a message; yields the answers to send, in as many lots as they get ready. */
  async *handle(response: PlayResponse): AsyncGenerator<Act[]> {
    if (response.decides) yield* this.#answerAll(response.decides.decides);
    if (response.gameStart) this.#open(response.gameStart.game, () => new Game(response.gameStart!));
    if (response.gameEnd) this.#close(response.gameEnd);
    if (response.welcome) {
      this.welcomed = true;
      this.#connectionId = response.welcome.connectionId;
      this.resumeMs = response.welcome.resumeMs;
    }
  }

  #open(number: number, made: () => Game): void {
    if (this.#games.has(number)) return; // sent again after a resume
    const game = made();
    const bot = this.bot(game);
    this.#games.set(number, typeof bot === "function" ? { game, decide: bot } : { game, ...bot, decide: bot.decide.bind(bot) });
  }

  #close(end: GameEnd): void {
    this.#games.get(end.game)?.ended?.(end);
    this.#games.delete(end.game);
  }

  async *#answerAll(questions: readonly Decide[]): AsyncGenerator<Act[]> {
    this.asked = true;
    let acts: Act[] = [];
    let flushed = performance.now();
    for (const question of questions) {
      acts.push(await this.#answer(question));
      if (performance.now() - flushed > FLUSH_MS) {
        yield acts;
        [acts, flushed] = [[], performance.now()];
      }
    }
    if (acts.length > 0) yield acts;
  }

  /** The bot's answer; to a question sent again, the same as before. */
  async #answer(asked: Decide): Promise<Act> {
    const known = this.#answers.get(asked.decisionId);
    if (known) return known;
    const opened = this.#games.get(asked.game);
    if (!opened) throw new Error(`question ${asked.decisionId} is about game ${asked.game}, which has not begun`);
    const { view, legal, question } = this.#read(opened.game, asked);
    const act = actOf(asked.decisionId, await opened.decide(view, legal, question));
    this.#acknowledged = Math.max(this.#acknowledged, asked.decisionId);
    this.#answers.set(asked.decisionId, act);
    if (this.#answers.size > REMEMBERED_ANSWERS) this.#answers.delete(this.#answers.keys().next().value!);
    return act;
  }

  #read(game: Game, asked: Decide): { view: View; legal: Range[]; question: Question } {
    const { fields, layoutVersion } = game.rules;
    const { decisionId, gameLeftMs } = asked;
    if (asked.legal.length > 0) {
      const events = lazy(() => unpackEvents(asked.events));
      const question = { decisionId, gameLeftMs, get events() { return events(); } };
      return { view: unpackView(fields, layoutVersion, asked.view), legal: unpackLegal(asked.legal), question };
    }
    const values = new Map(asked.typedView.map((field) => [field.name, field.values]));
    const view = viewOf(fields, (field) => Int32Array.from(values.get(field.name) ?? []));
    const legal = asked.typedLegal.map((r) => new Range(r.kind, r.a, r.b, r.c, r.lo, r.hi));
    return { view, legal, question: { decisionId, gameLeftMs, events: asked.typedEvents } };
  }
}

function lazy<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** An answer as it travels; for what is no action, stderr says so and the referee judges it. */
function actOf(decisionId: number, answer: Answer): Act {
  try {
    return { decisionId, range: 0, amount: 0, actions: actionsOf(answer) };
  } catch (error) {
    console.error((error as Error).message);
    return { decisionId, range: NO_RANGE, amount: 0, actions: [] };
  }
}
