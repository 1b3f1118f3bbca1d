// Plays a bot over gRPC: `serve((game) => (view, legal) => answer)`. It knows the wire, not the game.
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const PROTO = fileURLToPath(new URL("../../proto", import.meta.url));
const WENT_AWAY = [grpc.status.UNAVAILABLE, grpc.status.CANCELLED];

// `start(game)` is called once for every game and seat, with GameStart's fields; it returns what decides:
// a function of the view (values by field name) and the legal ranges {kind, a, b, c, lo, hi}.
// An answer is {range: index of a legal range, amount}.
export function serve(start, { name, version }) {
  const definition = protoLoader.loadSync("arena/v1/play.proto", { includeDirs: [PROTO], defaults: true });
  const { arena } = grpc.loadPackageDefinition(definition);
  const client = new arena.v1.PlayService(process.env.ARENA_ADDRESS, grpc.credentials.createInsecure());
  const stream = client.Play();
  const games = new Map();
  const handlers = {
    gameStart: (opened) => games.set(opened.game, { fields: opened.rules.fields, decide: start(opened) }),
    gameEnd: (closed) => games.delete(closed.game),
    decides: (batch) => stream.write({ acts: { acts: batch.decides.map((asked) => answer(games, asked)) } }),
  };
  stream.on("data", (message) => {
    for (const content of Object.keys(handlers)) if (message[content]) handlers[content](message[content]);
  });
  stream.on("error", (error) => {
    if (!WENT_AWAY.includes(error.code)) console.error(`the server ended the stream: ${error.details}`);
    process.exit(WENT_AWAY.includes(error.code) ? 0 : 1);
  });
  stream.on("end", () => process.exit(0));
  stream.write({ join: { token: process.env.ARENA_TOKEN, name, version } });
}

function answer(games, asked) {
  const { fields, decide } = games.get(asked.game);
  return { decisionId: asked.decisionId, ...decide(unpackView(fields, asked.view), unpackLegal(asked.legal)) };
}

// The first word is the layout's version; a field of one value becomes a number, others typed arrays.
export function unpackView(fields, packed) {
  const words = int32s(packed);
  const view = {};
  let offset = 1;
  for (const { name, length, per } of fields) {
    view[name] = per ? words.subarray(offset, offset + length) : words[offset];
    offset += length;
  }
  return view;
}

export function unpackLegal(packed) {
  const words = int32s(packed);
  const ranges = [];
  for (let i = 0; i < words.length; i += 3) {
    const [kind, a, b, c] = [0, 8, 16, 24].map((shift) => (words[i] >>> shift) & 255);
    ranges.push({ kind, a, b, c, lo: words[i + 1], hi: words[i + 2] });
  }
  return ranges;
}

// A copy, since a typed array must start on a word's boundary. Every platform Node runs on is little-endian.
function int32s(packed) {
  return new Int32Array(Uint8Array.from(packed).buffer);
}
