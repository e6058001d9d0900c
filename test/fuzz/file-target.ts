/**
 * Files from elsewhere: lines of an export, archive segments, checkpoints, settings. Their author computes correct hashes
 * over any content, so most rounds change an entry and seal it again. Each reader accepts the file or refuses it with one of
 * its own errors. Any other error would end the process without a next step for the operator.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { findServer } from "../../sdk/src/client/discovery/find-server.node.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { machineOf } from "../../server/src/assembly/open.ts";
import { ConfigError } from "../../server/src/config/config-error.ts";
import { readConfigFile } from "../../server/src/config/config-file.ts";
import { loadCheckpoint } from "../../server/src/engine/load-checkpoint.ts";
import { StateHash } from "../../server/src/engine/state-hash.ts";
import { Verification } from "../../server/src/engine/verify/verification.ts";
import { batchLine, readBatchLine } from "../../server/src/journal/batch-line.ts";
import type { CheckpointRow, CheckpointStore } from "../../server/src/journal/checkpoint.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { genesis, hashHeaders, hashText, seal } from "../../server/src/journal/seal.ts";
import { splitLines } from "../../server/src/journal/split-lines.ts";
import { readBlock } from "../../server/src/journal/sqlite/archive/segment-file.ts";
import { segmentName } from "../../server/src/journal/sqlite/archive/segment-name.ts";
import { readSegmentRow, type SegmentColumns } from "../../server/src/journal/sqlite/archive/segment-row.ts";
import { watchFork } from "../../server/src/journal/sqlite/fork.ts";
import type { StoredBatch } from "../../server/src/journal/unseal.ts";
import { UnknownHistoryError } from "../../server/src/machine/machine.ts";
import { sampleHistory } from "../machine/sample-history.ts";
import type { Random } from "../simulation/random.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { anyBytes, anyJson, anyNumber, anyText, damaged, deepText } from "./fuzz-values.ts";

/** Entries of one batch, and characters of a line that is accepted. */
const entryCount = 12;
const lineCharactersMax = 60_000;

/** The batch of a real history. Rounds change it. */
const whole: StoredBatch = (() => {
  const entries = sampleHistory(1, 40).slice(0, entryCount);
  const { head, lines } = seal(
    entries,
    genesis,
    Array.from({ length: entries.length }, (_, index) => `salt ${index}`),
  );
  return { first: 1, count: entries.length, time: head.time, previous: genesis.hash, hash: head.hash, lines };
})();

/** Puts any value somewhere into a JSON value. */
function changed(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.2)) return anyJson(random, 2);
  const copy = structuredClone(value) as Record<string, unknown>;
  const name = random.pick([...Object.keys(copy), anyText(random)]);
  if (random.chance(0.2)) Reflect.deleteProperty(copy, name);
  else if (!["__proto__", "length"].includes(name)) copy[name] = changed(random, copy[name]);
  return copy;
}

/** The batch with one entry changed, and correct hashes again. */
function forged(random: Random): StoredBatch {
  const lines = whole.lines.split("\n");
  const at = random.below(whole.count);
  const payload = lines[at + 1] ?? "";
  const next = random.weighed({ payload: 4, text: 1, deep: 1, header: 3, names: 1, headers: 1, lines: 1 });
  if (next === "payload") lines[at + 1] = JSON.stringify(changed(random, JSON.parse(payload)));
  if (next === "text") lines[at + 1] = damaged(random, payload).replaceAll("\n", " ");
  if (next === "deep") lines[at + 1] = deepText(random, 20_000);
  const [first, time, names, headers] = JSON.parse(lines[0] ?? "") as [number, number, unknown, unknown[][]];
  headers[at]?.splice(11, 1, hashText(lines[at + 1] ?? ""));
  if (next === "header") headers[at] = changed(random, headers[at]) as unknown[];
  const all = [first, time, next === "names" ? changed(random, names) : names, headers];
  lines[0] = JSON.stringify(next === "headers" ? changed(random, all) : all);
  if (next === "lines") lines.splice(1 + at, random.below(2), ...(random.chance(0.5) ? [payload] : []));
  return { ...whole, lines: lines.join("\n"), hash: hashHeaders(whole.previous, lines[0]) };
}

function isExpected(error: unknown): boolean {
  return error instanceof JournalError || error instanceof UnknownHistoryError || error instanceof ConfigError;
}

async function refusesOrReads(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
    assert.ok((error as Error).message.length > 0);
  }
}

function textOfExport(random: Random): string {
  const kind = random.weighed({ forged: 5, columns: 2, damaged: 2, bytes: 1, long: 1 });
  if (kind === "forged") return `${batchLine(forged(random))}\n`;
  if (kind === "columns") return `${JSON.stringify(changed(random, JSON.parse(batchLine(whole))))}\n`;
  if (kind === "damaged") return damaged(random, `${batchLine(whole)}\n`);
  if (kind === "bytes") return anyBytes(random, 200).toString("latin1");
  return "x".repeat(lineCharactersMax + random.below(3));
}

/** As an import does it: in pieces, line by line, and each batch decided again. */
async function importText(random: Random): Promise<void> {
  const text = textOfExport(random);
  const cut = random.below(text.length + 1);
  const verification = new Verification(verificationOf([]));
  const pieces = (async function* () {
    yield text.slice(0, cut);
    yield await Promise.resolve(text.slice(cut));
  })();
  for await (const line of splitLines(pieces, "a file", lineCharactersMax)) {
    assert.ok(line.length <= lineCharactersMax);
    const batch = readBatchLine(line);
    if (batch === undefined || !verification.take(batch)) break;
  }
  verification.finish();
}

function readSegment(random: Random, folder: string): void {
  const text = random.pick([`${batchLine(whole)}\n`, `${batchLine(forged(random))}\n`, anyText(random), "\n\n"]);
  const packed = random.chance(0.8) ? gzipSync(text, { level: 1 }) : anyBytes(random, 300);
  const file = segmentName(1, whole.count);
  writeFileSync(join(folder, file), random.chance(0.9) ? packed : packed.subarray(0, random.below(packed.length + 1)));
  const row: SegmentColumns = {
    ...{ first: 1, last: whole.count, time: whole.time, previous: whole.previous, hash: whole.hash },
    ...{ file, sha256: "", bytes: packed.length, blocks: JSON.stringify([[1, 0, packed.length]]) },
  };
  const crafted = random.weighed({ none: 4, file: 2, blocks: 3, number: 1 });
  const segment = readSegmentRow({
    ...row,
    ...(crafted === "file" ? { file: random.pick([anyText(random), damaged(random, file), `../${file}`]) } : {}),
    ...(crafted === "blocks" ? { blocks: JSON.stringify(changed(random, [[1, 0, packed.length]])) } : {}),
    ...(crafted === "number" ? { last: anyNumber(random), bytes: anyNumber(random) } : {}),
  });
  assert.match(segment.file, /^\d{12,16}-\d{12,16}(\.\d+)?\.ndjson\.gz$/u, "no other name is ever opened");
  for (const block of segment.blocks) readBlock(folder, segment, block);
}

async function loadState(random: Random): Promise<void> {
  const tables = ["space", "tokens", "agents", "entities", "holds", anyText(random)];
  const rows = Array.from({ length: random.below(6) }, (): CheckpointRow => {
    const line = random.pick([JSON.stringify(anyJson(random)), anyText(random), deepText(random, 5_000)]);
    return { table: random.pick(tables), key: anyText(random), line };
  });
  const hash = new StateHash();
  for (const { table, line = "" } of rows) hash.add(table, line);
  const header = { head: genesis, rules: random.pick([1, 1, 2, anyNumber(random)]), stateHash: hash.text };
  const store: CheckpointStore = {
    list: () => [header],
    rows: () => [rows],
    begin: () => undefined,
    clear: () => undefined,
  };
  await loadCheckpoint(
    store,
    () => machineOf([]),
    () => undefined,
  );
}

function readSettings(random: Random, folder: string): void {
  const file = join(folder, "holdfast.json");
  const settings = JSON.stringify({ port: 1, host: "127.0.0.1", allowed_hosts: ["a"], require_token: true });
  const crafted = JSON.stringify(changed(random, JSON.parse(settings)));
  writeFileSync(file, random.pick([crafted, damaged(random, settings), deepText(random, 5_000)]), { mode: 0o600 });
  readConfigFile(file, { isRequired: true });
}

/** The address that a data folder names. A refused address is a `TypeError`. The host is always this one. */
function readAddress(random: Random, folder: string): void {
  const data = join(folder, ".holdfast");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const note = JSON.stringify({ url: "http://127.0.0.1:1", pid: process.pid, operator_socket: "/nowhere" });
  const crafted = changed(random, { ...(JSON.parse(note) as object), url: `http://${anyText(random)}` });
  const text = random.pick([damaged(random, note), JSON.stringify(crafted), anyText(random), deepText(random, 5_000)]);
  writeFileSync(join(data, "server.json"), text, { mode: 0o600 });
  try {
    const found = findServer({ folder, env: {} });
    if (found === undefined) return;
    assert.match(new URL(found.url).hostname, /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u);
  } catch (error) {
    assert.match(String(error), /server\.json|\.holdfast/u);
  }
}

/** The marks about the folder in the table `meta`. */
function readMarks(random: Random, folder: string): void {
  const mark = JSON.stringify({ position: 1, from: "x", id: "a", file: "1", made: "2", revokesTokens: true });
  const text = random.pick([damaged(random, mark), JSON.stringify(changed(random, JSON.parse(mark))), anyText(random)]);
  const name = random.pick(["restored", "identity"]);
  const meta = {
    get: (asked: string) => (asked === name ? text : undefined),
    set: () => undefined,
    delete: () => undefined,
  };
  const fork = watchFork(meta, folder, () => "id");
  assert.ok((fork.reason() ?? "").length < 1_000, "the reason fits into an entry");
  fork.isImported();
}

export const fileTarget: FuzzTarget = {
  name: "the readers of files",
  rounds: "fileFuzz",
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-fuzz-"));
    return Promise.resolve({
      round: async (random) => {
        const kind = random.weighed({ export: 5, segment: 3, checkpoint: 1, settings: 1, marks: 1, address: 1 });
        await refusesOrReads(async () => {
          if (kind === "export") await importText(random);
          if (kind === "checkpoint") await loadState(random);
          if (kind === "segment") readSegment(random, folder);
          if (kind === "settings") readSettings(random, folder);
          if (kind === "address") readAddress(random, folder);
          if (kind === "marks") readMarks(random, folder);
        });
        // Node frees the memory of a failed decompression in the next turn of its event loop.
        if (kind === "segment") await new Promise((resolve) => setImmediate(resolve));
      },
      close: () => {
        rmSync(folder, { recursive: true });
        return Promise.resolve();
      },
    });
  },
};
