import assert from "node:assert/strict";
import { test } from "node:test";
import { batchLine, readBatchLine } from "../../server/src/journal/batch-line.ts";
import { eraseFromBatch } from "../../server/src/journal/erase-from-batch.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { genesis, hashHeaders, hashText } from "../../server/src/journal/seal.ts";
import type { Head } from "../../server/src/journal/sealed-batch.ts";
import { headOf, type StoredBatch, unsealAll } from "../../server/src/journal/unseal.ts";
import { sampleBatch } from "./sample-entries.ts";

function storedBatch(after: Head, count: number): StoredBatch {
  const change = (index: number) => ({ key: `key-${index}`, evidence: { seen: index }, time: after.time + 9 + index });
  const { head, lines } = sampleBatch(after, count, change);
  return { first: after.position + 1, count, time: head.time, previous: after.hash, hash: head.hash, lines };
}

const one = storedBatch(genesis, 4);
const two = storedBatch(headOf(one), 4);

function linesOf({ lines }: StoredBatch): string[] {
  return lines.split("\n");
}

function withLines(batch: StoredBatch, lines: readonly string[]): StoredBatch {
  return { ...batch, lines: lines.join("\n") };
}

/** The batch with other headers and a correct hash, as the author of a crafted file makes it. */
function crafted(
  batch: StoredBatch,
  change: (headers: [number, number, unknown[], unknown[][]]) => unknown,
): StoredBatch {
  const [line = "", ...payloads] = linesOf(batch);
  const headers = JSON.parse(line) as [number, number, unknown[], unknown[][]];
  const next = JSON.stringify(change(headers) ?? headers);
  return { ...withLines(batch, [next, ...payloads]), hash: hashHeaders(batch.previous, next) };
}

/** The crafted batch with one field of its second header changed. */
function withField(field: number, value: unknown): StoredBatch {
  return crafted(one, (headers) => void headers[3][1]?.splice(field, 1, value));
}

function damagedAt(position: number, part: "chain" | "header" | "payload") {
  return (error: unknown): boolean =>
    error instanceof JournalError &&
    error.code === "damaged" &&
    error.position === position &&
    error.message.includes(`(${part})`);
}

function swapped(lines: readonly string[], a: number, b: number): readonly string[] {
  return lines.map((line, index) => lines[index === a ? b : index === b ? a : index] ?? line);
}

const attacks: readonly (readonly [string, StoredBatch, number, "chain" | "header" | "payload"])[] = [
  ["its last payload line cut off", withLines(one, linesOf(one).slice(0, -1)), 1, "header"],
  ["its last character cut off", { ...one, lines: one.lines.slice(0, -1) }, 4, "payload"],
  ["a payload line more", withLines(one, [...linesOf(one), "[]"]), 1, "header"],
  ["two payload lines swapped", withLines(one, swapped(linesOf(one), 2, 3)), 2, "payload"],
  ["the payloads of another batch", withLines(one, [linesOf(one)[0] ?? "", ...linesOf(two).slice(1)]), 1, "payload"],
  ["the headers of another batch", withLines(one, [linesOf(two)[0] ?? "", ...linesOf(one).slice(1)]), 1, "header"],
  ["its place taken by the next batch", two, 5, "chain"],
  ["a huge count", { ...one, count: Number.MAX_SAFE_INTEGER }, 1, "header"],
  ["a count of zero", { ...one, count: 0 }, 1, "header"],
  ["fewer headers than its count", crafted(one, (headers) => void headers[3].pop()), 1, "header"],
  ["a first position of another batch", crafted(one, (headers) => void (headers[0] = 5)), 1, "header"],
  ["headers that are an object", crafted(one, () => ({})), 1, "header"],
  ["an empty list of names", crafted(one, (headers) => void (headers[2] = [])), 1, "header"],
  ["a name that is a number", crafted(one, (headers) => void (headers[2][0] = 7)), 1, "header"],
  ["an operation beyond its names", withField(4, 99), 2, "header"],
  ["a principal that is negative", withField(5, -1), 2, "header"],
  ["an event type that is a fraction", withField(10, [0.5, "lock/a"]), 2, "header"],
  ["an event without a subject", withField(10, [0]), 2, "header"],
  ["a time beyond the safe integers", withField(0, Number.MAX_SAFE_INTEGER), 2, "header"],
  ["a key that is a number", withField(7, 5), 2, "header"],
  ["a grace of two", withField(2, 2), 2, "header"],
  ["more events than data", withField(10, [0, "lock/a", 0, "lock/b"]), 2, "payload"],
];

for (const [name, batch, position, part] of attacks) {
  test(`a batch with ${name} is reported as damaged [X1]`, () => {
    assert.throws(() => unsealAll(batch, genesis.hash), damagedAt(position, part));
    const line = batchLine(batch);
    const read = readBatchLine(line);
    assert.ok(read !== undefined);
    assert.throws(() => unsealAll(read, genesis.hash), damagedAt(position, part));
  });
}

test("a list of names in another order gives other names, so its batch does not match its hash [X1]", () => {
  const [line = "", ...payloads] = linesOf(one);
  const headers = JSON.parse(line) as [number, number, string[], unknown];
  headers[2].reverse();
  const batch = withLines(one, [JSON.stringify(headers), ...payloads]);
  assert.throws(() => unsealAll(batch, genesis.hash), damagedAt(1, "header"));
});

test("an erasure removes one payload and its salt, and the other payloads of the batch stay proven [X1]", () => {
  const salt = (JSON.parse(linesOf(one)[2] ?? "") as [string])[0];
  const erased = eraseFromBatch(one, 2, 9, { keepSize: true });
  assert.equal(erased.lines.length, one.lines.length);
  assert.ok(!erased.lines.includes(salt) && !erased.lines.includes('["project/2"]'));
  const entries = unsealAll(erased, genesis.hash);
  assert.deepEqual(
    entries.map((entry) => entry.erased),
    [undefined, 9, undefined, undefined],
  );
  assert.deepEqual(entries[1]?.input, null);
  assert.equal(entries[1].evidence, undefined);
  assert.deepEqual(entries[2], unsealAll(one, genesis.hash)[2]);
  const changed = withLines(
    erased,
    linesOf(erased).map((line, at) => (at === 3 ? line.replace("write", "wrote") : line)),
  );
  assert.throws(() => unsealAll(changed, genesis.hash), damagedAt(3, "payload"));
  assert.equal(eraseFromBatch(erased, 2, 10), erased, "the first erasure wins");
});

test("only the payload that its header names can replace an erased payload [X1]", () => {
  const original = linesOf(one)[2] ?? "";
  const erased = eraseFromBatch(one, 2, 9);
  const putBack = (line: string): StoredBatch =>
    withLines(
      erased,
      linesOf(erased).map((old, at) => (at === 2 ? line : old)),
    );
  for (const line of [
    original.replace("write", "wrote"),
    linesOf(one)[3] ?? "",
    "[]",
    '{"erased":0}',
    '{"erased":1,"x":1}',
  ]) {
    assert.throws(() => unsealAll(putBack(line), genesis.hash), damagedAt(2, "payload"), line);
  }
  assert.notEqual(hashText(original), hashText(linesOf(erased)[2] ?? ""));
  assert.deepEqual(unsealAll(putBack(original), genesis.hash), unsealAll(one, genesis.hash));
});
