import assert from "node:assert/strict";
import { test } from "node:test";
import { auditOperations, checkOf, traceContext, traceIdOf } from "@holdfast/sdk/contract";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { unsealAll } from "../../server/src/journal/unseal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

promiseOnEveryStore("the pages of the journal contain all entries in order [X1]", async (client) => {
  const before = (await client.journal.list()).head;
  for (let index = 0; index < 12; index += 1) {
    await client.entities.create("plan", String(index), { index }, { key: `key-${index}` });
  }
  const seen: number[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: Awaited<ReturnType<typeof client.journal.list>> = await client.journal.list({ after, limit: 5 });
    assert.equal(checkOf(auditOperations["list-journal"].output)(page), undefined);
    seen.push(...page.items.map(({ position }) => position));
    after = page.next;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: before + 12 }, (_, index) => index + 1),
  );
  const { items, head } = await client.journal.list({ after: before + 3, before: before + 5 });
  assert.equal(head, before + 12);
  const [entry] = items;
  assert.deepEqual(
    [items.length, entry?.operation, entry?.key, entry?.outcome.kind, entry?.events[0]?.name],
    [1, "create-entity", "key-3", "done", "evt.plan.created"],
  );
  assert.deepEqual(entry?.input, { type: "plan", id: "3", value: { index: 3 } });
});

promise("an entry stores the trace of its call, and journal and audit return it [X1]", async (client) => {
  const after = (await client.journal.list()).head;
  await client.entities.create("plan", "1", {}, { trace });
  await client.entities.create("plan", "2", {}, { trace: "not a trace" });
  await client.entities.create("plan", "3", {});
  const journal = await client.journal.list({ after });
  assert.deepEqual(
    journal.items.map((item) => item.trace),
    [trace, undefined, undefined],
  );
  const audit = await client.audit.list({ limit: 3 });
  assert.deepEqual(
    audit.items.map((item) => item.trace),
    [null, null, trace],
  );
});

test("a malformed traceparent is ignored, and one of a later version keeps its known part", () => {
  assert.equal(traceContext(trace), trace);
  assert.equal(traceContext(trace.replace(/^00/u, "cc") + "-later-fields"), trace);
  assert.equal(traceIdOf(trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  const bad = [
    trace.replace(/^00/u, "ff"),
    `${trace}-more`,
    trace.toUpperCase(),
    trace.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
    trace.replace("00f067aa0ba902b7", "0".repeat(16)),
    trace.slice(1),
    "",
    7,
    undefined,
  ];
  for (const header of bad) assert.equal(traceContext(header), undefined, String(header));
});

test("the hash of an entry covers its trace, and the bytes of an entry without a trace never change", () => {
  const entry: Entry = {
    ...{ id: "c1", operation: "create-entity", principal: "ann", input: {}, position: 1, time: 5, rules: 1 },
    ...{ grace: false, outcome: { kind: "done", data: {} }, events: [] },
  };
  const salts = ["0".repeat(32)];
  const plain = seal([entry], genesis, salts);
  assert.equal(plain.head.hash, "263e4fb647520346d169ccf0be9bc8f611611a609e8ce2de8bcb06f40fe2df14");
  const traced = seal([{ ...entry, trace }], genesis, salts);
  const stored = { first: 1, count: 1, time: 5, previous: genesis.hash, hash: traced.head.hash };
  assert.deepEqual(unsealAll({ ...stored, lines: traced.lines }, genesis.hash), [{ ...entry, trace }]);
  const forged = traced.lines.replace("4bf92f", "5bf92f");
  assert.throws(() => unsealAll({ ...stored, lines: forged }, genesis.hash), /damaged at position 1 \(header\)/u);
});
