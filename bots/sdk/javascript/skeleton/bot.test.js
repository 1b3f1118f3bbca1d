// What __NAME__ answers to the questions of a recorded game: `npm test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./bot.js";
import { answered } from "./conquest-arena-bot/dist/index.js";

test("it attacks where it has more troops, and every answer is legal", async () => {
  let attacks = 0;
  for await (const { game, view, legal, act } of answered(start, "recorded", "classic")) {
    const [answer] = act.actions;
    const fits = legal.filter((range) => range.kind === answer.kind && range.a === answer.a && range.b === answer.b);
    assert.ok(fits.some((range) => range.lo <= answer.n && answer.n <= range.hi));
    const { troops } = view.rows;
    const attack = game.actionKind("attack");
    const chance = legal.some((range) => range.kind === attack && troops[range.a] > troops[range.b] + 1);
    if (!chance) continue;
    attacks += 1;
    assert.equal(answer.kind, attack);
    assert.ok(troops[answer.a] > troops[answer.b] + 1);
  }
  assert.ok(attacks > 0, "no recorded question offers such an attack");
});
