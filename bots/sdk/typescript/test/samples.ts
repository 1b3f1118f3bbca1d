// The golden bytes of ../testdata, which every SDK's decoding is tested against, and messages made of them.
import { readFileSync } from "node:fs";
import { DecideBatch, GameStart, type Decide, type PlayResponse } from "../src/gen/arena/v1/play.js";

const TESTDATA = new URL("../../../testdata/", import.meta.url);
export const VARIANTS = ["classic", "command_room", "endor"];

export interface Said {
  game: Record<string, unknown>;
  decides: {
    decision_id: number;
    view: Record<string, number[]>;
    legal: Record<string, number>[];
    events: Record<string, unknown>[];
    game_left_ms: number;
  }[];
}

export function golden(variant: string): { start: GameStart; decides: Decide[]; said: Said } {
  const bytes = (suffix: string) => readFileSync(new URL(`${variant}.${suffix}`, TESTDATA));
  const start = GameStart.decode(bytes("game_start.bin"));
  const { decides } = DecideBatch.decode(bytes("decides.bin"));
  return { start, decides, said: JSON.parse(bytes("json").toString()) };
}

/** A response with one content. */
export function response(content: Partial<PlayResponse>): PlayResponse {
  return { welcome: undefined, gameStart: undefined, decides: undefined, gameEnd: undefined, ...content };
}

export function welcome(connectionId: string, resumeMs = 5000): PlayResponse {
  const limits = { maxMessageBytes: 0, maxMessagesPerSecond: 0 };
  return response({ welcome: { connectionId, resumed: false, resumeMs, ...limits } });
}
