import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Act, DecideBatch, GameStart, type PlayResponse } from "./gen/arena/v1/play.js";
import { type Range } from "./actions.js";
import type { Game } from "./game.js";
import type { View } from "./packed.js";
import { type Bot, Session } from "./session.js";

/** One question of a recorded game, and what a bot answered. */
export interface Answered {
  readonly game: Game;
  readonly view: View;
  readonly legal: readonly Range[];
  readonly act: Act;
}

/** What a bot answers to the questions in NAME.game_start.bin and NAME.decides.bin of a folder, in order. */
export async function* answered(bot: Bot, folder: string, name: string): AsyncGenerator<Answered> {
  const read = (suffix: string) => readFileSync(join(folder, `${name}.${suffix}.bin`));
  let seen: Omit<Answered, "act"> | undefined;
  const session = new Session((game) => {
    const made = bot(game);
    const decide = typeof made === "function" ? made : made.decide.bind(made);
    return (view, legal, question) => ((seen = { game, view, legal }), decide(view, legal, question));
  });
  const handle = (content: Partial<PlayResponse>) =>
    session.handle({ welcome: undefined, gameStart: undefined, decides: undefined, gameEnd: undefined, ...content });
  for await (const _ of handle({ gameStart: GameStart.decode(read("game_start")) }));
  for (const asked of DecideBatch.decode(read("decides")).decides) {
    for await (const acts of handle({ decides: { decides: [asked] } })) for (const act of acts) yield { ...seen!, act };
  }
}
