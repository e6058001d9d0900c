import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import { allOperations, membersOf, packs } from "@holdfast/sdk/contract";
import type { Operation, Verb } from "@holdfast/sdk/contract";
import type { CallReply } from "holdfast";
import { script } from "../doors/operation-script.ts";
import type { OperationInput } from "../doors/script-step.ts";
import { checkedTransport } from "./checked-transport.ts";
import { gatedNode, operatorSecret } from "./gated-node.ts";

const everyVerb: Verb[] = ["read", "write", "lock", "register", "operate"];
const operations: readonly Operation[] = [...Object.values(allOperations), ...packs.flatMap((pack) => pack.operations)];

/** Copies of the input. In each copy one member, including those that only doors set, has an invalid value. */
function invalidVariants(operation: string, input: OperationInput): readonly OperationInput[] {
  const known = operations.find(({ name }) => name === operation);
  const members = known === undefined ? {} : membersOf(known.input);
  return Object.keys(members).map((name) => ({ ...input, [name]: { invalid: true } }));
}

const codeOf = ({ outcome }: CallReply): string => (outcome.kind === "done" ? "done" : outcome.code);

test("a token gets no access with an invalid input that it would not get with a valid one [M14]", async () => {
  const node = await gatedNode();
  const operator = checkedTransport(node.admit({ token: operatorSecret, connection: "operator" }).calls);
  const secret = await node.tokenFor("narrow", [{ verbs: everyVerb, under: "nowhere" }]);
  const narrow = checkedTransport(node.admit({ token: secret, connection: "narrow" }).calls);
  const before: CallReply[] = [];
  let invalidCount = 0;
  for (const { operation, input: make, key, agent: agentOf } of script) {
    const input = make(before);
    const agent = agentOf?.(before);
    if (codeOf(await narrow.call(operation, input, {})) === "not_allowed") {
      for (const invalid of invalidVariants(operation, input)) {
        const code = codeOf(await narrow.call(operation, invalid, {}));
        assert.ok(["not_allowed", "input_invalid"].includes(code), `${operation} ${JSON.stringify(invalid)}: ${code}`);
        invalidCount += 1;
      }
    }
    const options = { ...defined({ key, agent }) };
    before.push(await operator.call(operation, input, options));
  }
  assert.ok(invalidCount > 200, `only ${invalidCount} invalid inputs were tried`);
  await node.stop();
});

test("a caller cannot set the members that only doors set, such as a token's secret hash or the events of an erasure [M14]", async () => {
  const node = await gatedNode();
  const secret = await node.tokenFor("narrow", [{ verbs: everyVerb, under: "nowhere" }]);
  const narrow = checkedTransport(node.admit({ token: secret, connection: "narrow" }).calls);
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
  assert.equal(node.engine.head.position, position, "no attempt is in the journal");
  await node.stop();
});
