import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import type { PlayRequest, PlayResponse } from "./gen/arena/v1/play.js";
import { PlayServiceClient } from "./gen/arena/v1/play.js";
import { type Bot, Session, type Settings } from "./session.js";

// Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
const [PAUSE_MS, LONGEST_PAUSE_MS] = [200, 2_000];
const SCHEME = /^(https?|grpcs?):\/\//;
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
 * Plays until the server has no more games. A server that goes away is no error; one that cannot be reached or refuses
 * the bot is, and so is what the bot itself throws.
 */
export async function serve(bot: Bot, settings: ServeSettings = {}): Promise<void> {
  const address = settings.address ?? process.env.ARENA_ADDRESS ?? "";
  if (!address) throw new Error("no server address: set ARENA_ADDRESS to host:port or unix:/path, or give address");
  const credentials = credentialsFor(address, settings.ca ?? process.env.ARENA_CA ?? "");
  const client = new PlayServiceClient(address.replace(SCHEME, ""), credentials, {
    "grpc.max_receive_message_length": -1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 500,
    "grpc.keepalive_time_ms": 20_000, // a server that vanished without a word is noticed
    "grpc.keepalive_timeout_ms": 10_000,
  });
  const retryMs = 1000 * (settings.retrySeconds ?? secondsOf("ARENA_RETRY"));
  const connectMs = Math.max(settings.connectMs ?? 10_000, retryMs);
  try {
    if (!(await reachable(client, connectMs))) {
      throw new Error(`no server answers at ${address} within ${connectMs / 1000} s`);
    }
    await run(client, new Session(bot, settings), settings.token ?? process.env.ARENA_TOKEN ?? "", retryMs);
  } finally {
    client.close();
  }
}

/** Plays until the server has no more games, or has been away for too long. */
async function run(client: PlayServiceClient, session: Session, token: string, retryMs: number): Promise<void> {
  let [retryUntil, pause] = [Date.now() + retryMs, PAUSE_MS];
  for (;;) {
    const resume = await play(client, session, token, retryMs > 0);
    if (session.welcomed) [retryUntil, pause] = [Date.now() + retryMs, PAUSE_MS];
    const wait = Math.max(resume, retryUntil - Date.now());
    if (wait <= 0 || !(await reachable(client, wait))) return;
    if (session.welcomed) continue;
    await sleep(pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Plays one stream to its end; for how long it may be resumed, in milliseconds. Throws if it is refused. */
async function play(client: PlayServiceClient, session: Session, token: string, retry: boolean): Promise<number> {
  const resuming = session.connected;
  const stream: grpc.ClientDuplexStream<PlayRequest, PlayResponse> = client.play();
  try {
    stream.write({ join: session.join(token) });
    for await (const response of stream) {
      for await (const acts of session.handle(response)) stream.write({ acts: { acts } });
    }
    session.forget();
  } catch (error) {
    const { code, details } = error as Partial<grpc.ServiceError>;
    if (typeof code !== "number") throw error; // the bot's own
    if (BROKEN.includes(code)) return session.asked ? session.resumeMs : 0;
    if (resuming && OVER.includes(code)) session.forget();
    // While it dials again, the server may not know yet that an earlier connection is dead.
    else if (!retry || code !== status.ALREADY_EXISTS) throw new Error(`the server ended the stream: ${details}`);
  } finally {
    stream.on("error", () => {}); // what a stream that is over still has to say
    stream.cancel();
  }
  return 0;
}

function secondsOf(variable: string): number {
  const seconds = Number(process.env[variable] || "0");
  if (Number.isNaN(seconds)) throw new Error(`${variable} must be a number of seconds, not ${process.env[variable]}`);
  return Math.max(0, seconds);
}

function credentialsFor(address: string, ca: string): grpc.ChannelCredentials {
  if (ca && !address.startsWith("unix:")) return grpc.credentials.createSsl(readFileSync(ca));
  return /^(https|grpcs):/.test(address) ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
}

function reachable(client: PlayServiceClient, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => client.waitForReady(Date.now() + milliseconds, (error) => resolve(!error)));
}
