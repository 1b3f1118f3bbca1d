import assert from "node:assert/strict";
import { test } from "node:test";
import type { Act, PlayResponse } from "../src/gen/arena/v1/play.js";
import { type Answer, Range, type Bot, Random, Session } from "../src/index.js";
import { golden, response, welcome } from "./samples.js";

const { start, decides } = golden("classic");
const OPENED = response({ gameStart: start });
const ASKED = response({ decides: { decides } });

async function answers(session: Session, ...responses: PlayResponse[]): Promise<Act[]> {
  const acts: Act[] = [];
  for (const message of responses) for await (const lot of session.handle(message)) acts.push(...lot);
  return acts;
}

function counted(answer: (legal: readonly Range[]) => Answer): { bot: Bot; calls: () => number } {
  let calls = 0;
  return { bot: () => (_view, legal) => ((calls += 1), answer(legal)), calls: () => calls };
}

test("C12: a question that is asked again gets the same answer, without asking the bot", async () => {
  const random = new Random(Uint8Array.of(7));
  const { bot, calls } = counted((legal) => random.pick(legal).sample(random));
  const session = new Session(bot);
  const first = await answers(session, welcome("here"), OPENED, ASKED);
  assert.equal(first.length, decides.length);
  assert.deepEqual(await answers(session, welcome("here"), OPENED, ASKED), first);
  assert.equal(calls(), decides.length);
});

test("C16: answers carry their question's number, and an unknown game is an error", async () => {
  const { bot } = counted((legal) => legal[0]);
  const session = new Session(bot);
  const acts = await answers(session, welcome("here"), OPENED, ASKED);
  assert.deepEqual(acts.map((act) => act.decisionId), decides.map((asked) => asked.decisionId));
  const stale = response({ decides: { decides: [{ ...decides[0], decisionId: 1, game: 99 }] } });
  await assert.rejects(answers(session, stale), /question 1 is about game 99, which has not begun/);
});

test("the join that resumes names the connection and the last question answered", async () => {
  const session = new Session(counted((legal) => legal[0]).bot, { name: "mine", version: "2" });
  assert.equal(session.join("secret").connectionId, "");
  await answers(session, welcome("here"), OPENED, ASKED);
  const join = session.join("secret");
  const { token, name, version, connectionId, acknowledged } = join;
  const last = decides[decides.length - 1].decisionId;
  assert.deepEqual([token, name, version, connectionId, acknowledged], ["secret", "mine", "2", "here", last]);
});

test("typed questions look to a bot like packed ones", async () => {
  const seen: unknown[] = [];
  const bot: Bot = () => (view, legal, { events, gameLeftMs }) => (seen.push({ view, legal, events, gameLeftMs }), legal[0]);
  await answers(new Session(bot), OPENED, ASKED);
  const { said } = golden("classic");
  const typed = decides.map((asked, index) => ({
    ...asked,
    legal: Buffer.alloc(0),
    view: Buffer.alloc(0),
    events: Buffer.alloc(0),
    typedLegal: said.decides[index].legal as never,
    typedView: Object.entries(said.decides[index].view).map(([name, values]) => ({ name, values })),
    typedEvents: said.decides[index].events as never,
  }));
  const packed = seen.splice(0);
  await answers(new Session(bot, { encoding: "typed" }), OPENED, response({ decides: { decides: typed } }));
  assert.deepEqual(seen, packed);
});

test("an answer may be an action, a range, or a plan; anything else is the referee's to judge", async () => {
  const asked = response({ decides: { decides: decides.slice(0, 1) } });
  const answered = async (answer: (legal: readonly Range[]) => unknown) => {
    const bot: Bot = () => (_view, legal) => answer(legal) as Answer;
    return (await answers(new Session(bot), OPENED, asked))[0].actions;
  };
  const action = await answered((legal) => legal[0].first());
  assert.deepEqual(await answered((legal) => legal[0]), action);
  assert.deepEqual(await answered((legal) => [legal[0].first(), legal[0].last()]), [...action, ...action]);
  for (const wrong of [undefined, "attack", [], { kind: 1 }, { kind: -1, a: 0, b: 0, c: 0, n: 0 }]) {
    const session = new Session(() => () => wrong as Answer);
    const act = (await answers(session, OPENED, asked))[0];
    assert.deepEqual([act.range, act.actions], [2 ** 32 - 1, []]);
  }
});

test("a bot object hears how its game ended, and may answer later", async () => {
  const heard: string[] = [];
  const bot: Bot = () => ({
    decide: async (_view, legal) => legal[0],
    ended: (end) => heard.push(end.termination),
  });
  const end = { game: start.game, termination: "rules", winners: [1], scores: [], placements: [], laps: 3, faults: [] };
  const session = new Session(bot);
  const acts = await answers(session, OPENED, ASKED, response({ gameEnd: end }));
  assert.equal(acts.length, decides.length);
  assert.deepEqual(heard, ["rules"]);
});

test("the same seed gives the same numbers, evenly spread", () => {
  const draws = (seed: number[]) => {
    const random = new Random(Uint8Array.from(seed));
    return Array.from({ length: 6000 }, () => random.below(6));
  };
  const counts = new Array(6).fill(0);
  for (const number of draws([1, 2, 3])) counts[number] += 1;
  assert.ok(counts.every((count) => count > 850 && count < 1150), String(counts));
  assert.deepEqual(draws([1, 2, 3]), draws([1, 2, 3]));
  assert.notDeepEqual(draws([1, 2, 3]), draws([1, 2, 4]));
  assert.notDeepEqual(draws([0, 0]), draws([0, 0, 0]));
});

test("a range tells its amounts", () => {
  const range = new Range(6, 1, 2, 0, 2, 4);
  assert.deepEqual(range.action(3), { kind: 6, a: 1, b: 2, c: 0, n: 3 });
  assert.throws(() => range.action(5), /amount 5 is not within 2..4/);
  assert.ok([2, 3, 4].includes(range.sample(new Random(Uint8Array.of(1))).n));
});
