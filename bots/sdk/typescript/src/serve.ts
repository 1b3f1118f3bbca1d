import { readFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import type { PlayRequest, PlayResponse } from "./gen/arena/v1/play.js";
import { PlayServiceClient } from "./gen/arena/v1/play.js";
import { type Bot, Session, type Settings } from "./session.js";

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
  });
  const session = new Session(bot, settings);
  try {
    const { connectMs = 10_000 } = settings;
    if (!(await reachable(client, connectMs))) {
      throw new Error(`no server answers at ${address} within ${connectMs / 1000} s`);
    }
    do {
      if (await played(client, session, settings.token ?? process.env.ARENA_TOKEN ?? "")) return;
    } while (session.asked && (await reachable(client, session.resumeMs)));
  } finally {
    client.close();
  }
}

/** One stream; whether it ended for good. One that broke ends with false. */
async function played(client: PlayServiceClient, session: Session, token: string): Promise<boolean> {
  const resuming = session.connected;
  const stream: grpc.ClientDuplexStream<PlayRequest, PlayResponse> = client.play();
  try {
    stream.write({ join: session.join(token) });
    for await (const response of stream) {
      for await (const acts of session.handle(response)) stream.write({ acts: { acts } });
    }
    return true;
  } catch (error) {
    const code = (error as Partial<grpc.ServiceError>).code;
    if (code === undefined || typeof code !== "number") throw error; // the bot's own
    if (resuming && OVER.includes(code)) return true;
    if (!BROKEN.includes(code)) throw new Error(`the server ended the stream: ${(error as grpc.ServiceError).details}`);
    return false;
  } finally {
    stream.on("error", () => {}); // what a stream that is over still has to say
    stream.cancel();
  }
}

function credentialsFor(address: string, ca: string): grpc.ChannelCredentials {
  if (ca) return grpc.credentials.createSsl(readFileSync(ca));
  return /^(https|grpcs):/.test(address) ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
}

function reachable(client: PlayServiceClient, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => client.waitForReady(Date.now() + milliseconds, (error) => resolve(!error)));
}
