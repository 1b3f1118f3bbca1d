import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Game } from "../src/game.js";
import { unpackEvents, unpackLegal, unpackView } from "../src/packed.js";
import { VARIANTS, golden } from "./samples.js";

for (const variant of VARIANTS) {
  test(`${variant}: packed questions are read as the platform means them`, () => {
    const { start, decides, said } = golden(variant);
    const { fields, layoutVersion } = start.rules!;
    assert.equal(decides.length, said.decides.length);
    decides.forEach((asked, index) => {
      const { values, rows } = unpackView(fields, layoutVersion, asked.view);
      const view = { ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])) };
      for (const [name, row] of Object.entries(rows)) view[name] = [...row];
      assert.deepEqual(view, said.decides[index].view);
      assert.deepEqual(unpackLegal(asked.legal).map((range) => ({ ...range })), said.decides[index].legal);
      assert.deepEqual(unpackEvents(asked.events), said.decides[index].events);
    });
  });

  test(`${variant}: a game says what GameStart said`, () => {
    const { start, said } = golden(variant);
    const game = new Game(start);
    assert.equal(game.seat, said.game.seat);
    assert.deepEqual(game.options, said.game.options);
    const { decision_ms: decisionMs, game_ms: gameMs, increment_ms: incrementMs, unclocked } = said.game;
    assert.deepEqual(game.limits, { decisionMs, gameMs, incrementMs, clocked: !unclocked });
    assert.equal(game.limits.clocked, variant !== "endor");
    assert.deepEqual(game.rules.actions.map((kind) => kind.name), said.game.actions);
    const borders = said.game.borders as [string, string][];
    const number = (id: string) => game.rules.territories.indexOf(id);
    assert.ok(borders.every(([a, b]) => game.neighbours[number(a)].includes(number(b))));
    assert.ok(borders.every(([a, b]) => game.neighbours[number(b)].includes(number(a))));
    assert.equal(game.neighbours.flat().length, 2 * borders.length);
    assert.equal(game.actionKind("no such action"), -1);
  });
}

test("a view of another layout is refused with both versions", () => {
  const { start, decides } = golden("classic");
  const { fields, layoutVersion } = start.rules!;
  assert.throws(() => unpackView(fields, layoutVersion + 1, decides[0].view), /layout 1 .* expected 2/);
  assert.throws(() => unpackView(fields.slice(1), layoutVersion, decides[0].view), /expected 1 with/);
});

test("the generated stubs are those of today's proto/", () => {
  const here = new URL("../../", import.meta.url);
  for (const line of readFileSync(new URL("src/gen/SOURCES", here), "utf8").trim().split("\n")) {
    const [digest, path] = line.split(/\s+/);
    const source = readFileSync(new URL(`../../../proto/${path}`, here));
    assert.equal(createHash("sha256").update(source).digest("hex"), digest, `${path} has changed: npm run generate`);
  }
});
