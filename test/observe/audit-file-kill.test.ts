/** Real processes under load, killed again and again while they write and rotate their audit file. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readDataFolder } from "../../server/src/assembly/data-folder.ts";
import { start } from "../../server/src/assembly/open.ts";
import { auditFilesOf, verifyAudit } from "../../server/src/assembly/verify-audit.ts";
import type { VerifiedAudit } from "../../server/src/assembly/verify-audit.ts";
import { counts } from "../prove/counts.ts";
import { seededRandom } from "../scenario/kill-lines.ts";
import { inEmptyFolder, startProgram } from "../scenario/program.ts";
import { auditLines, listedAudit, strippedLines } from "./audit-lines.ts";

const seed = Number(process.env["HOLDFAST_SEED"] ?? 1);

async function runUntilKilled(data: string, writes: number): Promise<void> {
  const child = startProgram(join(import.meta.dirname, "audit-file-child.ts"), [data], { inputStaysOpen: true });
  let left = writes;
  child.onLine(() => {
    left -= 1;
    if (left === 0) child.signal("SIGKILL");
  });
  const { signal, errors } = await child.ended;
  assert.equal(signal, "SIGKILL", errors);
}

async function verified(data: string): Promise<VerifiedAudit> {
  const journal = readDataFolder(data);
  try {
    return await verifyAudit(await auditFilesOf(data), journal);
  } finally {
    journal.close();
  }
}

test(
  "kill -9 leaves an audit file without a gap, a repeat or a wrong line, also between the steps of a rotation [B10]",
  { timeout: 900_000 },
  (context) =>
    inEmptyFolder(async (base) => {
      context.diagnostic(`HOLDFAST_SEED=${seed}`);
      const random = seededRandom(seed);
      const data = join(base, "data");
      for (let kill = 0; kill < counts.auditFileKills; kill += 1) {
        await runUntilKilled(data, 1 + Math.floor(random() * 200));
        const { ok, fault } = await verified(data);
        assert.deepEqual([ok, fault], [true, undefined], `after kill ${kill + 1}`);
      }
      const auditLog = { data, bytesMax: 8_192, filesKept: 0 };
      // A closed node has written everything, unless it was far behind.
      for (let isBehind = true; isBehind; isBehind = ((await verified(data)).missing ?? 0) > 0) {
        await (await start(data, { auditLog })).client.close();
      }
      const { client } = await start(data, {});
      const listed = await listedAudit(client);
      await client.close();
      const lines = strippedLines(await auditLines(data));
      assert.deepEqual(lines, listed.slice(0, lines.length));
      assert.ok(lines.length > 10 * counts.auditFileKills, `${lines.length} lines`);
      context.diagnostic(`${lines.length} lines in ${(await auditFilesOf(data)).length} files`);
    })(),
);
