/** `holdfast verify` on valid, damaged, truncated and forged folders. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Entry } from "../../server/src/machine/entry.ts";
import { ticketKind } from "../machine/ticket-kind.ts";
import { forge, storedBatches, tamper } from "./forge.ts";
import { runHere } from "./cli-terminal.ts";
import { holdfast, jsonLines } from "./holdfast-command.ts";
import { makeNewerJournal } from "./newer-journal.ts";
import { inEmptyFolder } from "./program.ts";

/** Six entries in six batches: a creation with a key, changes, a conflict, a deletion. */
async function fill(data: string): Promise<void> {
  const client = await open(data);
  await client.entities.create("note", "first", { text: "one" }, { key: "k" });
  await client.entities.patch("note", "first", { merge: { text: "two" } });
  await client.entities.create("note", "second", { n: 1 });
  await assert.rejects(client.entities.replace("note", "first", { text: "late" }, { expectedVersion: 1 }));
  await client.entities.replace("note", "first", { text: "three" }, { expectedVersion: 2 });
  await client.entities.delete("note", "second");
  await client.close();
}

interface VerifyOutput {
  readonly ok: boolean;
  readonly head: string;
  readonly entries: number;
  readonly redecided: number;
  readonly folded_only: number;
  readonly first_bad?: { readonly position: number; readonly what: string; expected: string; found: string };
}

async function verify(folder: string, options = ""): Promise<VerifyOutput & { readonly code: number | null }> {
  const ended = await runHere(folder, `verify --json ${options}`);
  assert.equal(ended.lines.length, 1, ended.lines.join("\n") + ended.errors);
  return { ...(jsonLines(ended)[0] as unknown as VerifyOutput), code: ended.code };
}

const inFilledFolder = (work: (folder: string, data: string) => Promise<void>) =>
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    await work(folder, data);
  });

test(
  "verify decides all entries of a valid folder again, even while a server runs, and prints the head [M3 X1]",
  inFilledFolder(async (folder) => {
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    const { code, lines, errors } = await runHere(folder, "verify");
    assert.deepEqual({ code, errors }, { code: 0, errors: "" });
    const text = lines.join("\n");
    assert.match(text, /^Valid\./);
    assert.match(text, /entries {2}6: 6 decided again, 0 folded only, 0 erased/);
    assert.match(text, /entries\/s/);
    assert.match(text, /head {5}6:[0-9a-f]{64}/);
    const verified = await verify(folder);
    assert.deepEqual([verified.ok, verified.entries, verified.redecided, verified.folded_only], [true, 6, 6, 0]);
    assert.equal((await verify(folder, `--head ${verified.head}`)).code, 0);
    up.signal("SIGTERM");
    assert.equal((await up.ended).code, 0);
  }),
);

for (const [what, sql, position] of [
  ["a payload", "UPDATE batches SET lines = replace(lines, '\"two\"', '\"twp\"') WHERE first = 2", 2],
  ["a header", "UPDATE batches SET lines = replace(lines, '\"local\"', '\"lokal\"') WHERE first = 3", 3],
  ["the hash of a batch", "UPDATE batches SET hash = replace(hash, substr(hash, 1, 8), '00000000') WHERE first = 4", 4],
  ["the hash that a batch follows", "UPDATE batches SET previous = hash WHERE first = 5", 5],
  ["the time of a batch", "UPDATE batches SET time = time + 1 WHERE first = 5", 5],
  ["the number of entries", "UPDATE batches SET count = 2 WHERE first = 6", 6],
] as const) {
  test(
    `verify finds ${what} that was changed in the file, and prints its position [X1]`,
    inFilledFolder(async (folder, data) => {
      tamper(data, sql);
      const verified = await verify(folder);
      assert.equal(verified.code, 4);
      assert.equal(verified.first_bad?.position, position);
      assert.equal(verified.first_bad.what, "damage");
      const { code, lines } = await runHere(folder, "verify");
      assert.equal(code, 4);
      assert.match(lines.join("\n"), new RegExp(`^NOT valid: position ${position} is wrong`));
    }),
  );
}

test(
  "verify finds that an entry in the middle is missing [X1]",
  inFilledFolder(async (folder, data) => {
    tamper(data, "DELETE FROM batches WHERE first = 4");
    const { code, first_bad: bad } = await verify(folder);
    assert.deepEqual([code, bad?.position, bad?.what], [4, 4, "chain"]);
  }),
);

test(
  "verify finds a truncated journal only with the stored head [X1]",
  inFilledFolder(async (folder, data) => {
    const { head } = await verify(folder);
    tamper(data, "DELETE FROM batches WHERE first > 4");
    assert.equal((await verify(folder)).code, 0, "the remaining journal is valid in itself");
    const { code, first_bad: bad } = await verify(folder, `--head ${head}`);
    assert.deepEqual([code, bad?.position, bad?.what, bad?.expected], [4, 5, "tail", head]);
  }),
);

test(
  "verify with a stored head detects another history that is valid in itself [X1]",
  inFilledFolder(async (folder, data) => {
    const { head } = await verify(folder);
    forge(data, (entry) => ({ ...entry, id: `other-${entry.position}` }));
    assert.equal((await verify(folder)).code, 0);
    const { code, first_bad: bad } = await verify(folder, `--head ${head}`);
    assert.deepEqual([code, bad?.position, bad?.what], [4, 6, "history"]);
  }),
);

const forgeries: readonly (readonly [string, number, string, (entry: Entry) => Entry])[] = [
  [
    "an outcome",
    5,
    "outcome",
    (entry) => ({ ...entry, outcome: { ...entry.outcome, data: { ...entry.outcome.data, revision: "1.9" } } }),
  ],
  ["a refusal that becomes a success", 4, "outcome", (entry) => ({ ...entry, outcome: { kind: "done", data: {} } })],
  [
    "the data of an event",
    2,
    "events",
    (entry) => ({
      ...entry,
      events: entry.events.map((event) => ({ ...event, data: { ...event.data, merge: { text: "mine" } } })),
    }),
  ],
  ["an event that never happened", 4, "events", (entry) => ({ ...entry, events: [] })],
  ["a key that is used twice", 3, "key", (entry) => ({ ...entry, key: "k" })],
];

for (const [what, position, mismatch, change] of forgeries) {
  test(
    `verify finds ${what} that was forged with a recomputed chain of hashes, because it decides entries again [M3 X1]`,
    inFilledFolder(async (folder, data) => {
      forge(data, (entry) => (entry.position === position ? change(entry) : entry));
      const { code, first_bad: bad } = await verify(folder);
      assert.deepEqual([code, bad?.position, bad?.what], [4, position, mismatch], JSON.stringify(bad));
      assert.notEqual(bad?.expected, bad?.found);
    }),
  );
}

test(
  "verify only folds the entries of a kind without --kinds, decides them again with it, and counts both [M3]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    const client = await open(data, { kinds: [ticketKind] });
    await client.entities.create("ticket", "t", { title: "x", status: "open" });
    await client.run("close-ticket", { id: "t", reason: "done" });
    await assert.rejects(client.run("close-ticket", { id: "t", reason: "again" }, { key: "again" }));
    await assert.rejects(client.entities.create("ticket", "bad", { title: "" }, { key: "bad" }));
    await client.close();
    const without = await verify(folder);
    assert.deepEqual([without.ok, without.redecided, without.folded_only], [true, 1, 3]);
    const kinds = join(import.meta.dirname, "..", "machine", "ticket-kind.ts");
    const withKinds = await verify(folder, `--kinds ${kinds}`);
    assert.deepEqual([withKinds.ok, withKinds.redecided, withKinds.folded_only], [true, 4, 0]);
    writeFileSync(join(folder, "none.js"), "export const nothing = 1;");
    const { code, errors } = await runHere(folder, "verify --kinds none.js");
    assert.equal(code, 2);
    assert.match(errors, /exports no kind/);
  }),
);

test(
  "verify stops with one sentence at rules that this build does not have",
  inEmptyFolder(async (folder) => {
    await makeNewerJournal(folder);
    const { code, errors } = await runHere(folder, "verify");
    assert.equal(code, 5, errors);
    assert.match(errors, /rules 99/);
    assert.equal(storedBatches(join(folder, ".holdfast")).length, 1);
  }),
);

test(
  "verify accepts a folder in which later entries depend on an erased one [M3 X1]",
  inEmptyFolder(async (folder) => {
    const client = await open(join(folder, ".holdfast"), { principal: "operator" });
    await client.run("planning.create-organization", { id: "acme", name: "Jane Doe" });
    await client.run("planning.create-project", { id: "bridge", organization_id: "acme", name: "Bridge" });
    const value = { name: "Acme", archived: false };
    await client.run("replace-entity", { type: "planning-organization", id: "acme", value });
    await client.run("erase-payload", { position: 1, reason: "a name of a person" });
    await client.close();
    const { ok, code, redecided, folded_only: folded } = await verify(folder);
    assert.deepEqual([ok, code, redecided, folded], [true, 0, 1, 2], "the erasure itself is decided again");
  }),
);
