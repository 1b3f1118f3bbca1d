// A bot against a real server over a real line: it plays, resumes what breaks, and says why it is refused.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { test } from "node:test";
import grpc from "@grpc/grpc-js";
import { type Act, type Join, type PlayRequest, type PlayResponse, PlayServiceService } from "../src/gen/arena/v1/play.js";
import { ArenaError, type Bot, play, serve } from "../src/index.js";
import { golden, response, welcome } from "./samples.js";

type Line = grpc.ServerDuplexStream<PlayRequest, PlayResponse>;
interface Hears {
  join(line: Line, join: Join, number: number): void;
  acts?(line: Line, acts: Act[], number: number): void;
}

const { start, decides } = golden("classic");
const [one, two] = decides;
const first: Bot = () => (_view, legal) => legal[0];

async function listening(hears: Hears, credentials = grpc.ServerCredentials.createInsecure(), host = "127.0.0.1") {
  const server = new grpc.Server();
  let lines = 0;
  const play = (line: Line) => {
    const number = (lines += 1);
    line.on("error", () => {});
    line.on("data", ({ join, acts }: PlayRequest) => {
      if (join) hears.join(line, join, number);
      if (acts) hears.acts?.(line, acts.acts, number);
    });
  };
  server.addService(PlayServiceService, { play });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${host}:0`, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return { address: `${host}:${port}`, stop: () => server.forceShutdown() };
}

function opens(line: Line): void {
  for (const message of [welcome("here"), response({ gameStart: start }), response({ decides: { decides: [one] } })]) {
    line.write(message);
  }
}

test("C12: a broken stream is resumed, and a question asked again is answered the same", async () => {
  const joins: Join[] = [];
  const heard: Act[] = [];
  const server = await listening({
    join(line, join, number) {
      joins.push(join);
      opens(line);
      if (number === 2) line.write(response({ decides: { decides: [two] } }));
    },
    acts(line, acts, number) {
      heard.push(...acts);
      if (number === 1) line.emit("error", { code: grpc.status.UNAVAILABLE, details: "cut" });
      else if (heard.length === 3) line.end();
    },
  });
  let calls = 0;
  await play(({ random }) => (_view, legal) => ((calls += 1), random.pick(legal).sample(random)), {
    address: server.address,
    token: "secret",
  });
  server.stop();
  assert.deepEqual(joins.map((join) => [join.token, join.connectionId, join.acknowledged]), [
    ["secret", "", 0],
    ["secret", "here", one.decisionId],
  ]);
  assert.deepEqual(heard.map((act) => act.decisionId), [one.decisionId, one.decisionId, two.decisionId]);
  assert.deepEqual(heard[1], heard[0]);
  assert.equal(calls, 2);
});

test("a server that goes away is no error", async () => {
  const server = await listening({ join: (line) => line.emit("error", { code: grpc.status.UNAVAILABLE, details: "" }) });
  await play(first, { address: server.address });
  server.stop();
});

test("while it may retry, it dials again and joins anew", async () => {
  // The server ends the first stream well, refuses the second as still connected, and plays on in the third.
  const joins: Join[] = [];
  const heard: Act[] = [];
  const server = await listening({
    join(line, join, number) {
      joins.push(join);
      if (number === 2) line.emit("error", { code: grpc.status.ALREADY_EXISTS, details: "still connected" });
      else if (number === 4) line.emit("error", { code: grpc.status.UNAUTHENTICATED, details: "revoked" });
      else opens(line);
    },
    acts: (line, acts) => (heard.push(...acts), line.end()),
  });
  await assert.rejects(play(first, { address: server.address, retrySeconds: 20 }), /revoked/);
  server.stop();
  assert.deepEqual(joins.map((join) => join.connectionId), ["", "", "", ""]);
  assert.equal(heard.length, 2);
});

test("a refusal is an error with the server's words", async () => {
  const refusal = { code: grpc.status.UNAUTHENTICATED, details: "unknown token" };
  const server = await listening({ join: (line) => line.emit("error", refusal) });
  await assert.rejects(play(first, { address: server.address }), /refuses the token in ARENA_TOKEN: unknown token/);
  server.stop();
});

test("what the bot throws comes through", async () => {
  const server = await listening({ join: opens });
  const thrower: Bot = () => () => {
    throw new Error("bot's own trouble");
  };
  await assert.rejects(play(thrower, { address: server.address }), /bot's own trouble/);
  server.stop();
});

test("without an address it says what to set", async () => {
  delete process.env.ARENA_ADDRESS;
  await assert.rejects(play(first), /set ARENA_ADDRESS to host:port or unix:\/path/);
});

test("serve says what is wrong in one line, and the process will end with code 1", async (context) => {
  const said = context.mock.method(console, "error", () => {});
  for (const address of ["foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000"]) {
    await serve(first, { name: "mine", address });
    assert.equal(said.mock.calls.at(-1)!.arguments[0], `mine: ARENA_ADDRESS: ${address} is neither host:port nor unix:/path`);
    assert.equal(process.exitCode, 1);
    process.exitCode = 0;
  }
});

test("ARENA_CA turns TLS on and is the only certificate trusted", async () => {
  const folder = mkdtempSync(path(tmpdir(), "arena-tls-"));
  const made = (name: string) => {
    const [key, certificate] = [path(folder, `${name}.key`), path(folder, `${name}.pem`)];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-keyout", key, "-out", certificate, ...subject],
    ], { stdio: "ignore" });
    return { key, certificate };
  };
  const mine = made("mine");
  const pair = { private_key: readFileSync(mine.key), cert_chain: readFileSync(mine.certificate) };
  const tls = grpc.ServerCredentials.createSsl(null, [pair]);
  const heard: Act[] = [];
  const server = await listening({ join: opens, acts: (line, acts) => (heard.push(...acts), line.end()) }, tls, "localhost");
  process.env.ARENA_CA = mine.certificate;
  try {
    await play(first, { address: server.address });
    assert.equal(heard.length, 1);
    const other = made("other").certificate;
    const refused = (address: string, ca: string) => assert.rejects(play(first, { address, ca }), (error: Error) => {
      assert.ok(error instanceof ArenaError && !error.message.includes("\n"));
      told.push(error.message.replace(address, "HERE").replace(folder, ""));
      return true;
    });
    const told: string[] = [];
    await refused(server.address, other);
    await refused(server.address, "");
    const plain = await listening({ join: opens }, undefined, "localhost");
    await refused(plain.address, other);
    plain.stop();
    await refused(server.address, path(folder, "none.pem"));
    await refused(server.address, mine.key);
    const [mistrusted, ...others] = told;
    assert.match(mistrusted, /^the server at HERE has a certificate that ARENA_CA \(\/other.pem\) does not vouch for \(.+\): set it/);
    assert.deepEqual(others, [
      "the server at HERE speaks TLS: set ARENA_CA to the path of its ca.pem",
      "the server at HERE does not speak TLS: unset ARENA_CA",
      `ARENA_CA: no certificate can be read from /none.pem (ENOENT: no such file or directory, open '${folder}/none.pem'): name the server's ca.pem`,
      "ARENA_CA: no certificate can be read from /mine.key (it is no PEM file): name the server's ca.pem",
    ]);
  } finally {
    delete process.env.ARENA_CA;
    server.stop();
  }
});
