import assert from "node:assert/strict";
import { test } from "node:test";
import { allOperations, membersOf, packs } from "@holdfast/sdk/contract";
import type { Operation, Verb } from "@holdfast/sdk/contract";
import type { CallReply } from "holdfast";
import { script } from "../doors/script.ts";
import type { Facts } from "../doors/script.ts";
import { checkedTransport } from "./checked-transport.ts";
import { gatedNode, operatorSecret } from "./gated-node.ts";

const everyVerb: Verb[] = ["read", "write", "lock", "register", "operate"];
const operations: readonly Operation[] = [
  ...Object.values(allOperations),
  ...packs.flatMap((pack) => Object.values(pack.operations)),
];

/** The input, with each of its members in turn, also those that only doors set, as something that it can't be. */
function oddly(operation: string, input: Facts): readonly Facts[] {
  const known = operations.find(({ name }) => name === operation);
  const members = known === undefined ? {} : membersOf(known.input);
  return Object.keys(members).map((name) => ({ ...input, [name]: { odd: true } }));
}

const codeOf = ({ outcome }: CallReply): string => (outcome.kind === "done" ? "done" : outcome.code);

test("what a token may not do it may not do with an input that does not fit either, whatever doors set in it [M14]", async () => {
  const node = await gatedNode();
  const operator = checkedTransport(node.come({ token: operatorSecret, connection: "operator" }).transport);
  const secret = await node.tokenFor("narrow", [{ verbs: everyVerb, under: "nowhere" }]);
  const narrow = checkedTransport(node.come({ token: secret, connection: "narrow" }).transport);
  const before: CallReply[] = [];
  let oddCount = 0;
  for (const { operation, input: make, key, agent: who } of script) {
    const input = make(before);
    const agent = who?.(before);
    if (codeOf(await narrow.call(operation, input, {})) === "not_allowed") {
      for (const odd of oddly(operation, input)) {
        const code = codeOf(await narrow.call(operation, odd, {}));
        assert.ok(["not_allowed", "input_invalid"].includes(code), `${operation} ${JSON.stringify(odd)}: ${code}`);
        oddCount += 1;
      }
    }
    const options = { ...(key === undefined ? {} : { key }), ...(agent === undefined ? {} : { agent }) };
    before.push(await operator.call(operation, input, options));
  }
  assert.ok(oddCount > 200, `${oddCount} odd inputs were tried`);
  await node.stop();
});

test("a secret that its caller has chosen is no way around the rights to a token, nor events to those of an erasure [M14]", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("narrow", [{ verbs: everyVerb, under: "nowhere" }]);
  const narrow = checkedTransport(node.come({ token: secret, connection: "narrow" }).transport);
  await node.operator.entities.create("doc", "1", { secret: true });
  const { position } = node.engine.head;
  const everything = { principal: "mallory", allow: [{ verbs: everyVerb, under: "" }] };
  const attempts = [
    ["create-token", { ...everything, secret_hash: "chosen" }],
    ["create-token", { ...everything, secret_hash: null }],
    ["erase-payload", { position, reason: "it is mine", events: "none" }],
  ] as const;
  for (const [operation, input] of attempts) {
    assert.equal(codeOf(await narrow.call(operation, input, {})), "input_invalid", JSON.stringify(input));
  }
  assert.equal(node.engine.head.position, position, "nothing was decided");
  await node.stop();
});
