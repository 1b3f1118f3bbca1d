import { setTimeout as sleep } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import { ArenaError, Line } from "./dialling.js";
import type { PlayRequest, PlayResponse, PlayServiceClient } from "./gen/arena/v1/play.js";
import { type Bot, Session, type Settings } from "./session.js";

// Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
const [PAUSE_MS, LONGEST_PAUSE_MS] = [200, 2_000];
const { status } = grpc;
// Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
const BROKEN = [status.UNAVAILABLE, status.CANCELLED, status.UNKNOWN, status.INTERNAL];
// What a server says to a resume when the games have ended meanwhile.
const OVER = [status.UNAUTHENTICATED, status.NOT_FOUND];

/** Where to play, and how the bot wants to be known; what is left out comes from the environment. */
export interface ServeSettings extends Settings {
  /** `host:port` or `unix:/path`; https://host:port for TLS. Default: ARENA_ADDRESS. */
  address?: string;
  /** Says who the bot is. Default: ARENA_TOKEN. */
  token?: string;
  /** Path of the certificate to trust; it turns TLS on. Default: ARENA_CA. */
  ca?: string;
  /** For how long to dial again after the bot was last connected, in seconds. Default: ARENA_RETRY, else not at all. */
  retrySeconds?: number;
  /** How long to wait for a server, in milliseconds. */
  connectMs?: number;
}

/**
 * Plays as `play` does; what keeps the bot from playing is said in one line, and the process will end with code 1. What
 * the bot itself throws comes through.
 */
export async function serve(bot: Bot, settings: ServeSettings = {}): Promise<void> {
  try {
    await play(bot, settings);
  } catch (error) {
    if (!(error instanceof ArenaError)) throw error;
    console.error(`${settings.name || "bot"}: ${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * Plays until the server has no more games. A server that goes away is no error; one that cannot be reached or refuses
 * the bot is an ArenaError. What the bot itself throws comes through.
 */
export async function play(bot: Bot, settings: ServeSettings = {}): Promise<void> {
  const line = new Line(settings.address ?? process.env.ARENA_ADDRESS ?? "", settings.ca ?? process.env.ARENA_CA ?? "");
  const retryMs = 1000 * (settings.retrySeconds ?? secondsOf("ARENA_RETRY"));
  try {
    await line.connect(Math.max(settings.connectMs ?? 10_000, retryMs));
    await run(line, new Session(bot, settings), settings.token ?? process.env.ARENA_TOKEN ?? "", retryMs);
  } finally {
    line.client.close();
  }
}

/** Plays until the server has no more games, or has been away for too long. */
async function run(line: Line, session: Session, token: string, retryMs: number): Promise<void> {
  let [retryUntil, pause] = [Date.now() + retryMs, PAUSE_MS];
  for (;;) {
    const resume = await stream(line.client, session, token, retryMs > 0);
    if (session.welcomed) [retryUntil, pause] = [Date.now() + retryMs, PAUSE_MS];
    const wait = Math.max(resume, retryUntil - Date.now());
    if (wait <= 0 || !(await line.reachable(wait))) return;
    if (session.welcomed) continue;
    await sleep(pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Plays one stream to its end; for how long it may be resumed, in milliseconds. Throws if it is refused. */
async function stream(client: PlayServiceClient, session: Session, token: string, retry: boolean): Promise<number> {
  const resuming = session.connected;
  const messages: grpc.ClientDuplexStream<PlayRequest, PlayResponse> = client.play();
  try {
    messages.write({ join: session.join(token) });
    for await (const response of messages) {
      for await (const acts of session.handle(response)) messages.write({ acts: { acts } });
    }
    session.forget();
  } catch (error) {
    const { code, details } = error as Partial<grpc.ServiceError>;
    if (typeof code !== "number") throw error; // the bot's own
    if (BROKEN.includes(code)) return session.asked ? session.resumeMs : 0;
    if (resuming && OVER.includes(code)) session.forget();
    // While it dials again, the server may not know yet that an earlier connection is dead.
    else if (!retry || code !== status.ALREADY_EXISTS) throw refusal(code, details);
  } finally {
    messages.on("error", () => {}); // what a stream that is over still has to say
    messages.cancel();
  }
  return 0;
}

function refusal(code: grpc.status, details = ""): ArenaError {
  const what = code === status.UNAUTHENTICATED ? "refuses the token in ARENA_TOKEN" : "ended the stream";
  return new ArenaError(`the server ${what}: ${details}`);
}

function secondsOf(variable: string): number {
  const seconds = Number(process.env[variable] || "0");
  if (Number.isNaN(seconds)) throw new ArenaError(`${variable} must be a number of seconds, not ${process.env[variable]}`);
  return Math.max(0, seconds);
}
