import assert from "node:assert/strict";
import { appendFile, mkdir, mkdtemp, open, readFile, readdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, mock, test } from "node:test";
import type { Client } from "holdfast";
import { readDataFolder } from "../../server/src/assembly/data-folder.ts";
import { start } from "../../server/src/assembly/open.ts";
import type { RunningNode } from "../../server/src/assembly/open.ts";
import { auditFilesOf, verifyAudit } from "../../server/src/assembly/verify-audit.ts";
import type { VerifiedAudit } from "../../server/src/assembly/verify-audit.ts";
import { backUpData, restoreData } from "../../server/src/assembly/upkeep.ts";
import { auditFilePath, auditLines, listedAudit, strippedLines } from "./audit-lines.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { runCli } from "../scenario/cli-terminal.ts";

interface AuditNode {
  readonly data: string;
  /** Runs a node with an audit file, and closes it. A closed node has written everything. */
  readonly run: (work: (client: Client, node: RunningNode) => Promise<void>) => Promise<readonly string[]>;
  readonly verify: () => Promise<VerifiedAudit>;
}

/** The prototype of open files, to make one of their calls fail. */
async function fileHandles(data: string): Promise<FileHandle> {
  const handle = await open(auditFilePath(data));
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

/** A test with its own data folder. */
function withAuditFile(
  work: (node: AuditNode) => Promise<void>,
  sizes: { readonly bytesMax: number; readonly filesKept: number } = { bytesMax: 1e9, filesKept: 0 },
): () => Promise<void> {
  return async () => {
    const base = await mkdtemp(join(tmpdir(), "holdfast-audit-"));
    const data = join(base, "data");
    try {
      await work({
        data,
        async run(during) {
          const reports: string[] = [];
          const report = (message: string): void => void reports.push(message);
          const node = await start(data, { auditLog: { data, ...sizes }, report, principal: "ann" });
          try {
            await during(node.client, node);
          } finally {
            await node.client.close();
          }
          return reports;
        },
        async verify() {
          const journal = readDataFolder(data);
          try {
            return await verifyAudit(await auditFilesOf(data), journal);
          } finally {
            journal.close();
          }
        },
      });
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  };
}

const yieldToLoop = (): Promise<void> => loopTicks(1);

async function createPlans(client: Client, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 1)
    await client.entities.create("plan", String(index), { index });
}

describe("the audit file", () => {
  test(
    "each line of the audit file is an entry of list-audit, in the order of the journal [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run(async (client) => {
        await createPlans(client, 0, 3);
        await client.intents.create({ id: "42", payload: { secret: "two chairs" } });
        await client.intents.transition("42", "processed");
        await client.intents.updateMany(["42"], { to: "completed" });
        await assert.rejects(client.entities.replace("plan", "1", {}, { expectedVersion: 7 }));
      });
      let listed: readonly unknown[] = [];
      await run(async (client) => {
        listed = await listedAudit(client);
      });
      assert.deepEqual(strippedLines(await auditLines(data)), listed);
      const { ok, missing, after } = await verify();
      assert.deepEqual([ok, missing, after], [true, 0, 0]);
    }),
  );

  test(
    "a line of the audit file contains no payload, no reason and no message [B10]",
    withAuditFile(async ({ data, run }) => {
      await run(async (client) => {
        await client.intents.create({ id: "1", payload: { word: "hidden-payload" } });
        const pipeline = await client.intents.bridges(
          [{ name: "fails", execute: () => Promise.reject(new Error("hidden-message")) }],
          { name: "orders", onFailure: "pause" },
        );
        await assert.rejects(pipeline.execute("1"));
        await client.intents.stop("1", "hidden-reason");
        await client.intents.reevaluate("1", {
          diff: { word: "hidden-diff" },
          source: "judge",
          reason: "hidden-reason",
        });
      });
      const text = await readFile(auditFilePath(data), "utf8");
      assert.doesNotMatch(text, /hidden/u);
      assert.match(text, /BRIDGE_FAILED/u);
      assert.match(text, /REEVALUATED/u);
    }),
  );

  test(
    "the audit file continues after a torn line, zeros and a hole, without a gap or a repeat [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run((client) => createPlans(client, 0, 6));
      const whole = await readFile(auditFilePath(data));
      const lines = whole.toString().split("\n");
      const cut = (lines[0] ?? "").length + 1 + (lines[1] ?? "").length + 1;
      const hole = Buffer.from(whole);
      hole.fill(0, cut, cut + 40);
      const damages = [
        whole.subarray(0, -9),
        Buffer.concat([whole.subarray(0, cut), Buffer.alloc(4_096)]),
        hole,
        Buffer.from(`${lines.slice(0, 2).join("\n")}\n${lines.slice(3).join("\n")}`),
        Buffer.alloc(0),
      ];
      for (const damaged of damages) {
        await writeFile(auditFilePath(data), damaged);
        await run(() => Promise.resolve());
        assert.deepEqual((await readFile(auditFilePath(data))).subarray(0, whole.length), whole);
        assert.equal((await verify()).ok, true);
      }
    }),
  );

  test(
    "rotated files continue one chain, and the oldest are deleted when more than the maximum exist [B10]",
    withAuditFile(
      async ({ data, run, verify }) => {
        for (let round = 0; round < 4; round += 1) await run((client) => createPlans(client, round * 30, 30));
        const names = (await readdir(join(data, "audit"))).toSorted();
        assert.deepEqual(
          names.filter((name) => name.startsWith("audit-")).length,
          2,
          `the files are ${names.join(", ")}`,
        );
        const { ok, after, missing } = await verify();
        assert.deepEqual([ok, missing, after > 0], [true, 0, true]);
        // Without any file the cursor prevents a repeat.
        const { to } = await verify();
        for (const name of names.filter((one) => one.endsWith(".ndjson"))) await rm(join(data, "audit", name));
        await run((client) => createPlans(client, 900, 1));
        const again = await verify();
        assert.ok(again.ok && again.after >= to - 30 && again.after > after, JSON.stringify(again));
      },
      { bytesMax: 4_096, filesKept: 2 },
    ),
  );

  test(
    "a file that another program truncates or moves is reported, and the lines continue without a repeat [B10]",
    withAuditFile(async ({ data, run }) => {
      const written = async (count: number): Promise<void> => {
        while ((await auditLines(data)).length < count) await loopTicks(1);
      };
      let last: unknown;
      const reports = await run(async (client) => {
        await createPlans(client, 0, 2);
        await written(1);
        last = (await auditLines(data)).at(-1)?.["position"];
        await truncate(auditFilePath(data));
        await createPlans(client, 2, 2);
        await written(1);
        const [first] = await auditLines(data);
        assert.equal(first?.["prev"], last);
        last = (await auditLines(data)).at(-1)?.["position"];
        await rename(auditFilePath(data), join(data, "audit", "taken"));
        await createPlans(client, 4, 2);
      });
      assert.deepEqual(
        reports.map((text) => /has (.*) \//u.exec(text)?.[1]),
        ["truncated", "moved or deleted"],
      );
      assert.equal((await auditLines(data))[0]?.["prev"], last);
    }),
  );

  test(
    "after a restore the audit file marks the lost lines and continues with the restored history [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run((client) => createPlans(client, 0, 3));
      const copy = `${data}-copy`;
      await backUpData({ from: data, to: copy, yieldToLoop });
      await run((client) => createPlans(client, 3, 3));
      const kept = await readdir(join(data, "audit"));
      const moved = `${data}-old`;
      await rename(data, moved);
      await restoreData({ from: copy, to: data, yieldToLoop });
      await mkdir(join(data, "audit"), { recursive: true });
      for (const name of kept) await rename(join(moved, "audit", name), join(data, "audit", name));
      await run((client) => createPlans(client, 6, 2));
      const { ok, restores, missing, fault } = await verify();
      assert.deepEqual({ ok, restores, missing, fault }, { ok: true, restores: 1, missing: 0, fault: undefined });
    }),
  );

  test(
    "a failed write never stops the server, and the file is complete when it can be written again [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run((client) => createPlans(client, 0, 1));
      await rename(auditFilePath(data), `${auditFilePath(data)}.aside`);
      await mkdir(auditFilePath(data));
      const reports = await run(async (client, { keeper }) => {
        await createPlans(client, 1, 2);
        const status = keeper.status()["audit-file"];
        assert.equal(status?.ready, false);
      });
      assert.match(reports[0] ?? "", /the service audit-file failed/u);
      await rm(auditFilePath(data), { recursive: true });
      await rename(`${auditFilePath(data)}.aside`, auditFilePath(data));
      await run(() => Promise.resolve());
      const { ok, missing } = await verify();
      assert.deepEqual([ok, missing], [true, 0]);
    }),
  );

  test(
    "a disk that is full in the middle of a line leaves neither a torn line nor a gap when it has room again [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run((client) => createPlans(client, 0, 2));
      const before = await readFile(auditFilePath(data));
      const full = mock.method(await fileHandles(data), "writeFile", async function (this: FileHandle, bytes: Buffer) {
        await this.write(bytes.subarray(0, bytes.length - 20));
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      });
      const reports = await run(async (client, { keeper }) => {
        await createPlans(client, 2, 2);
        while (keeper.status()["audit-file"]?.ready === true) await loopTicks(1);
      }).finally(() => {
        full.mock.restore();
      });
      assert.match(reports[0] ?? "", /the service audit-file failed/u);
      assert.notEqual((await readFile(auditFilePath(data))).at(-1), "\n".charCodeAt(0), "the last line is torn");
      await run(() => Promise.resolve());
      assert.deepEqual((await readFile(auditFilePath(data))).subarray(0, before.length), before);
      const { ok, missing } = await verify();
      assert.deepEqual([ok, missing], [true, 0]);
    }),
  );

  test(
    "lines whose sync failed are cut off and written again, because the disk may not have them [B10]",
    withAuditFile(async ({ data, run, verify }) => {
      await run((client) => createPlans(client, 0, 2));
      const before = await readFile(auditFilePath(data));
      const files = await fileHandles(data);
      const reports = await run(async (client, { keeper }) => {
        const failing = mock.method(files, "datasync", () => Promise.reject(new Error("EIO")));
        await createPlans(client, 2, 2);
        while (keeper.status()["audit-file"]?.ready === true) await loopTicks(1);
        failing.mock.restore();
        assert.deepEqual(await readFile(auditFilePath(data)), before);
      });
      assert.match(reports[0] ?? "", /the service audit-file failed/u);
      await run(() => Promise.resolve());
      const { ok, missing } = await verify();
      assert.deepEqual([ok, missing], [true, 0]);
    }),
  );

  test(
    "`holdfast audit verify` names the first line that is damaged, missing, repeated or not in the journal [B10]",
    withAuditFile(async ({ data, run }) => {
      await run((client) => createPlans(client, 0, 5));
      const path = auditFilePath(data);
      const whole = await readFile(path, "utf8");
      const lines = whole.trimEnd().split("\n");
      const verified = async (text: string): Promise<Record<string, unknown>> => {
        await writeFile(path, text);
        const { out, code } = await runCli(["audit", "verify", "--data", data, "--json"]);
        return { ...(JSON.parse(out) as Record<string, unknown>), code };
      };
      assert.deepEqual((await verified(whole))["first_bad"], null);
      assert.equal((await verified(whole))["code"], 0);
      const without = (index: number): string => `${lines.toSpliced(index, 1).join("\n")}\n`;
      const cases: readonly (readonly [string, RegExp])[] = [
        [whole.replace('"operation":"create-entity"', '"operation":"delete-entity"'), /sum/u],
        [without(2), /follows position/u],
        [`${lines.toSpliced(2, 0, lines[2]!).join("\n")}\n`, /follows position/u],
        [`${whole}{"position":99}\n`, /sum/u],
      ];
      for (const [text, what] of cases) {
        const found = await verified(text);
        assert.notEqual(found["code"], 0);
        assert.match((found["first_bad"] as { readonly what: string }).what, what);
      }
      await appendFile(path, "");
      const torn = await verified(`${whole}{"posi`);
      assert.deepEqual([torn["code"], torn["unfinished_line"]], [0, true]);
      const other = `${data}-other`;
      const node = await start(other, { report: () => undefined });
      await createPlans(node.client, 10, 5);
      await node.client.close();
      await writeFile(path, whole);
      const foreign = await runCli(["audit", "verify", path, "--data", other]);
      assert.match(foreign.out, /NOT valid: .*, line \d+: .*journal/u);
      const nothing = await runCli(["audit", "verify", "--data", other]);
      assert.match(nothing.err, /--audit-log file/u);
    }),
  );
});
