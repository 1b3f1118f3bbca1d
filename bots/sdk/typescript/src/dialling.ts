import { readFileSync } from "node:fs";
import tls from "node:tls";
import grpc from "@grpc/grpc-js";
import { PlayServiceClient } from "./gen/arena/v1/play.js";

// A server that has not answered so soon is looked at more closely: some mistakes no waiting mends.
const [LOOK_AFTER_MS, LOOK_MS] = [1_000, 2_000];
const SCHEME = /^(https?|grpcs?):\/\//;
const PEM = "-----BEGIN CERTIFICATE-----";

/** What keeps a bot from playing: no server at the address, or one that refuses it. One line, which says what to set. */
export class ArenaError extends Error {}

/** The line to a server: where it goes, whom it trusts, and what is wrong with it when nobody answers. */
export class Line {
  readonly client: PlayServiceClient;
  /** `[host, port]`; undefined for a Unix socket. */
  readonly #tcp: readonly [string, number] | undefined;
  /** The certificates to trust, with TLS; undefined for the system's. */
  readonly #trusted: Buffer | undefined;
  readonly #secure: boolean;

  /** `ca` is the path of the certificate to trust, which turns TLS on over TCP. */
  constructor(
    private readonly address: string,
    private readonly ca: string,
  ) {
    if (!address) throw new ArenaError("no server address: set ARENA_ADDRESS to host:port or unix:/path, or give address");
    const target = address.replace(SCHEME, "");
    this.#tcp = address.startsWith("unix:") ? undefined : hostAndPort(target);
    this.#secure = /^(https|grpcs):/.test(address) || (ca !== "" && this.#tcp !== undefined);
    this.#trusted = this.#secure && ca ? certificate(ca) : undefined;
    const { createInsecure, createSsl } = grpc.credentials;
    this.client = new PlayServiceClient(target, this.#secure ? createSsl(this.#trusted) : createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 500,
      "grpc.keepalive_time_ms": 20_000, // a server that vanished without a word is noticed
      "grpc.keepalive_timeout_ms": 10_000,
    });
  }

  /** Waits until the server answers, so long at most; the ArenaError says what is wrong and what to set. */
  async connect(milliseconds: number): Promise<void> {
    // With TLS it is looked for trouble first: Node warns of what gRPC does with a host that is an address.
    if (!this.#secure && (await this.reachable(Math.min(milliseconds, LOOK_AFTER_MS)))) return;
    await this.#lookForTroubleWithTls();
    if (await this.reachable(milliseconds)) return;
    await this.#lookForTroubleWithTls();
    const within = `within ${milliseconds / 1000} s`;
    throw new ArenaError(`no server answers at ${this.address} ${within}: is it running, and is ARENA_ADDRESS right?`);
  }

  /** Whether the server answers within that time. */
  reachable(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => this.client.waitForReady(Date.now() + milliseconds, (error) => resolve(!error)));
  }

  async #lookForTroubleWithTls(): Promise<void> {
    const trouble = this.#tcp && (await this.#troubleWithTls(...this.#tcp));
    if (trouble) throw new ArenaError(`the server at ${this.address} ${trouble}`);
  }

  /** What no waiting mends; "" where the server may just not be there yet. */
  #troubleWithTls(host: string, port: number): Promise<string> {
    return new Promise((resolve) => {
      const line = tls.connect({ host, port, ca: this.#trusted, ALPNProtocols: ["h2"], rejectUnauthorized: false });
      const found = (trouble: string) => (line.destroy(), resolve(trouble));
      line.setTimeout(LOOK_MS, () => found(""));
      line.once("secureConnect", () => {
        if (!this.#secure) found("speaks TLS: set ARENA_CA to the path of its ca.pem");
        else if (line.authorized) found("");
        else found(`has a certificate that ARENA_CA (${this.ca}) does not vouch for (${reason(line)}): set it to the path of the server's ca.pem`);
      });
      line.once("error", ({ code }: NodeJS.ErrnoException) => {
        const plain = this.#secure && code === "ERR_SSL_WRONG_VERSION_NUMBER";
        found(plain ? "does not speak TLS: unset ARENA_CA" : "");
      });
    });
  }
}

function reason(line: tls.TLSSocket): string {
  const error: unknown = line.authorizationError; // a code, or an error with one
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
}

function hostAndPort(address: string): readonly [string, number] {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  if (!host || !(Number(port) > 0 && Number(port) < 65_536)) {
    throw new ArenaError(`ARENA_ADDRESS: ${address} is neither host:port nor unix:/path`);
  }
  return [host.replace(/[[\]]/g, ""), Number(port)];
}

function certificate(path: string): Buffer {
  const unreadable = (why: string) =>
    new ArenaError(`ARENA_CA: no certificate can be read from ${path} (${why}): name the server's ca.pem`);
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (!pem.includes(PEM)) throw unreadable("it is no PEM file");
  return pem;
}
