/** Play in Conquest Arena: `serve((game) => (view, legal) => answer)` is all a bot needs. */
export { type Action, type Answer, type Event, Range } from "./actions.js";
export { ArenaError } from "./dialling.js";
export { Game, type Limits, type Ruleset } from "./game.js";
export type { GameEnd } from "./gen/arena/v1/play.js";
export type { Field, Kind, Rules } from "./gen/arena/v1/rules.js";
export type { View } from "./packed.js";
export { Random } from "./random.js";
export { type Answered, answered } from "./recorded.js";
export { type ServeSettings, play, serve } from "./serve.js";
export { type Bot, type Decider, type Question, Session, type Settings } from "./session.js";
