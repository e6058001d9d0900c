import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { test } from "node:test";
import { everything } from "../conformance/sample-entries.ts";
import { withFolder } from "../conformance/sqlite-folder.ts";
import { openJournal } from "./journal-work.ts";
import { execChildSync } from "./spawn-child.ts";

for (const [work, whenFull, withSpace] of [
  ["archive", /^full$/, "archived to 200"],
  ["checkpoint", /^(full|io)$/, "saved 1"],
] as const) {
  test(
    `a disk that is full during "${work}" fails only that work, other calls succeed, and a retry with space succeeds`,
    withFolder(async (folder) => {
      const program = join(import.meta.dirname, "journal-full-child.ts");
      const output = execChildSync(execPath, [program, folder, work], { encoding: "utf8" });
      const seen = JSON.parse(output) as { whenFull: string; length: number; withSpace: string };
      assert.match(seen.whenFull, whenFull);
      assert.deepEqual([seen.length, seen.withSpace], [241, withSpace]);
      const journal = await openJournal(folder);
      assert.equal((await journal.read(0, everything)).length, 241);
      await journal.close();
      const left = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"));
      assert.deepEqual(left, []);
    }),
  );
}
