import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallReply } from "holdfast";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import type { EvidenceSource } from "../../server/src/app/calls/app-operation.ts";
import { runCall } from "../../server/src/app/calls/run-call.ts";
import { recordOf } from "../../server/src/operations/registry.ts";
import { checkedNode } from "./checked-node.ts";
import type { CheckedNode } from "./checked-node.ts";

/** Replaces an entity whose kind has no check, with evidence from a source of the test. */
function replaceWith(node: CheckedNode, evidence: EvidenceSource, key: string): Promise<CallReply> {
  const { services } = node;
  const canonical = canonicalValue({ type: "note", id: "1", value: 2 }, inputLimits);
  assert.ok(canonical.ok);
  const record = { ...recordOf(services.operations, "replace-entity"), evidence: () => evidence };
  const context = {
    ...{ services, speaker: { principal: "local", caller: "c" }, sharesData: false },
    ...{ requiresAgentSecret: false, operatorRotation: undefined },
  };
  return new Promise((answer, fail) => {
    runCall(context, { record, input: canonical.value, options: { inputBytes: 9, key }, answer, fail });
  });
}

describe("evidence without a check", () => {
  test("a source without a check gathers once, and its finding is in the entry", async () => {
    await using node = await checkedNode();
    await node.client.entities.create("note", "1", 1);
    let count = 0;
    const source: EvidenceSource = { gather: async () => ({ found: (count += 1) }) };
    const reply = await replaceWith(node, source, "k");
    assert.equal(reply.outcome.kind, "done");
    const { items } = await node.client.journal.list({ subject: "note/1" });
    assert.deepEqual(
      items.map(({ evidence }) => evidence),
      [undefined, { found: 1 }],
    );
    assert.equal(node.services.checks.status().waiting, 0);
  });

  test("a known key is replayed without gathering again [M4]", async () => {
    await using node = await checkedNode();
    await node.client.entities.create("note", "1", 1);
    let count = 0;
    const source: EvidenceSource = { gather: async () => ({ found: (count += 1) }) };
    const first = await replaceWith(node, source, "k");
    const again = await replaceWith(node, source, "k");
    assert.deepEqual([again.replayed, again.outcome, count], [true, first.outcome, 1]);
  });
});
