/** Erasures under the conditions of an operator: many at once, during a read, and with missing segments. */
import assert from "node:assert/strict";
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "holdfast";
import { readDataFolder } from "../../server/src/assembly/data-folder.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { noErasureMark } from "../../server/src/journal/erasure-mark.ts";
import type { Journal } from "../../server/src/journal/journal.ts";
import { clientOf, openFolder, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { withFolder } from "../conformance/sqlite-folder.ts";
import { filesWith, secretOf } from "./journal-work.ts";

interface Started {
  readonly journal: Journal;
  readonly engine: Engine;
  readonly client: Client;
  readonly reports: string[];
}

async function start(folder: string): Promise<Started> {
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const journal = await openFolder(folder, report);
  const engine = await startEngine({ journal, report });
  return { journal, engine, client: clientOf(servicesOf(engine), { client: { retry: false } }), reports };
}

/** Writes notes with a secret at positions from 1. The state depends on none of them. */
async function writeSecrets({ entities }: Client, count: number): Promise<readonly number[]> {
  const positions = Array.from({ length: count }, (_, index) => index + 1);
  for (const position of positions) await entities.create("note", String(position), { text: secretOf(position) });
  await Promise.all(positions.map((position) => entities.replace("note", String(position), {})));
  return positions;
}

const erase = (client: Client, position: number, options = {}): Promise<unknown> =>
  client.run("erase-payload", { position, reason: "asked for" }, options);

const left = (folder: string, positions: readonly number[]): readonly number[] =>
  positions.filter((position) => filesWith(folder, secretOf(position)).length > 0);

test(
  "no file contains any of the payloads once many concurrent erasures are answered [X1]",
  withFolder(async (folder) => {
    const { client } = await start(folder);
    const positions = await writeSecrets(client, 40);
    assert.deepEqual(left(folder, positions), positions);
    await Promise.all(positions.map((position) => erase(client, position)));
    assert.deepEqual(left(folder, positions), []);
    await client.close();
  }),
);

test(
  "an erasure is refused as unfinished while another process reads the files, and a later retry removes everything [X1]",
  withFolder(async (folder) => {
    const { client, reports } = await start(folder);
    await writeSecrets(client, 2);
    const reader = readDataFolder(folder);
    const lines = reader.lines()[Symbol.iterator]();
    lines.next();
    const refused = await refusalOf(erase(client, 1, { key: "k" }));
    assert.deepEqual([refused.code, refused.retry], ["erasure_unfinished", "same-key"]);
    assert.deepEqual(refused.data, { position: 1, erased_by: 5, reason: "busy", retry_after_ms: 1_000 });
    for (const options of [{ key: "k" }, {}]) {
      await assert.rejects(erase(client, 1, options), refusedWith("erasure_unfinished"), "the payload is still there");
    }
    assert.deepEqual(left(folder, [1]), [1]);
    lines.return?.(undefined);
    reader.close();
    assert.deepEqual(await erase(client, 1, { key: "k" }), { position: 1, erased_by: 5 });
    assert.deepEqual(left(folder, [1, 2]), [2]);
    assert.deepEqual(reports, []);
    await client.close();
  }),
);

test(
  "a node starts while another process reads the files, and finishes an interrupted erasure as soon as the read ends [X1]",
  withFolder(async (folder) => {
    const first = await start(folder);
    await writeSecrets(first.client, 1);
    await first.client.close();
    const reader = readDataFolder(folder);
    const lines = reader.lines()[Symbol.iterator]();
    lines.next();
    const second = await start(folder);
    await assert.rejects(erase(second.client, 1), refusedWith("erasure_unfinished"));
    await second.client.close();
    const third = await start(folder);
    assert.ok(third.reports.length > 0, "the operator gets a report");
    lines.return?.(undefined);
    reader.close();
    await third.client.close();
    const { client, reports } = await start(folder);
    assert.deepEqual([left(folder, [1]), reports], [[], []]);
    await client.close();
  }),
);

test(
  "a missing segment blocks neither a start nor other erasures, and is erased once the file is restored",
  withFolder(async (folder) => {
    const before = await start(folder);
    await writeSecrets(before.client, 3);
    await erase(before.client, 1);
    await before.journal.archive(2);
    await before.client.entities.create("note", "9", {});
    await before.engine.checkpoint();
    // Like a journal without an erasure mark: the node has to check each erasure once.
    await before.journal.setErasureMark(noErasureMark);
    await before.client.close();
    const [segment = ""] = readdirSync(join(folder, "archive"));
    renameSync(join(folder, "archive", segment), join(folder, segment));
    const without = await start(folder);
    assert.deepEqual(without.reports.length, 1);
    assert.match(without.reports[0] ?? "", /payload of entry 1, which entry 7 erased, could not be removed/);
    await erase(without.client, 3);
    assert.deepEqual(left(folder, [3]), []);
    await assert.rejects(erase(without.client, 2), refusedWith("history_archived"));
    assert.equal(without.reports.length, 1);
    assert.deepEqual(await without.journal.erasureMark(), { to: 9, left: [{ position: 1, by: 7 }] });
    await without.client.close();
    renameSync(join(folder, segment), join(folder, "archive", segment));
    const after = await start(folder);
    assert.deepEqual(after.reports, []);
    assert.deepEqual(await after.journal.erasureMark(), { to: 9, left: [] });
    await after.client.close();
  }),
);
