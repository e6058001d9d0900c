import assert from "node:assert/strict";
import { test } from "node:test";
import { allVerbs } from "@holdfast/sdk/contract";
import { refusedWith } from "../api/refused-with.ts";
import { lockNode } from "../locks/lock-node.ts";
import { gatedNode } from "./gated-node.ts";

test("a caller without an agent reads its principal, its rights and the end of its token [M14]", async () => {
  const node = await gatedNode();
  const allow = [{ verbs: ["write" as const], under: "repo/x" }];
  const made = await node.operator.tokens.create({ principal: "ci", allow, expiresInMs: 60_000 });
  const client = node.clientWith({ token: made.secret });
  assert.deepEqual(await client.agents.whoAmI(), {
    ...{ principal: "ci", allow, tokenExpiresAt: made.expiresAt },
    ...{ agent: null, holds: [], waits: [], next: null },
  });
  await assert.rejects(client.agents.whoAmI({ ownerId: "somebody" }), refusedWith("not_allowed"));
  const anonymous = await node.clientWith().agents.whoAmI();
  const verbs = allVerbs.filter((verb) => verb !== "operate");
  assert.deepEqual([anonymous.principal, anonymous.tokenExpiresAt], ["anonymous", null]);
  assert.deepEqual(anonymous.allow, [{ verbs, under: "" }]);
  assert.deepEqual((await node.operator.agents.whoAmI()).allow, [{ verbs: [...allVerbs], under: "" }]);
  await node.stop();
});

test("an invalid request for the rights of a caller is refused, also with few rights [M14]", async () => {
  const node = await gatedNode();
  const token = await node.tokenFor("ci", [{ verbs: ["write"], under: "repo/x" }]);
  const client = node.clientWith({ token });
  for (const input of [null, [], "me", { owner: "ann" }]) {
    const { outcome } = await client.execute("who-am-i", input);
    assert.match(outcome.kind === "refusal" ? outcome.code : "done", /^(input_invalid|input_malformed|not_allowed)$/);
  }
  await node.stop();
});

test("a program in the process of the server has all rights, and they do not expire [M14]", async () => {
  const node = await lockNode();
  const { allow, tokenExpiresAt } = await node.client.agents.whoAmI();
  assert.deepEqual([allow, tokenExpiresAt], [[{ verbs: [...allVerbs], under: "" }], null]);
  await node.stop();
});
