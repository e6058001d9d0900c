import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import { execChild } from "../scenario/spawn-child.ts";

const example = join(import.meta.dirname, "../../examples/python/holdfast_example.py");

/** Each Debian contains Python. Without it, the test fails with the reason. */
async function runPython(...args: readonly string[]): Promise<string> {
  try {
    return (await execChild("python3", args)).stdout;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new Error("python3 is not installed, and the Python example needs it");
    throw error;
  }
}

test("the Python example acquires a lock, writes, and resolves a conflict with the standard library only [X8]", async () => {
  const data = await mkdtemp(join(tmpdir(), "holdfast-"));
  const server = await serve({ data, host: "127.0.0.1", port: 0 });
  try {
    const lines = (await runPython(example, server.url)).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => line.slice(0, line.indexOf(":"))),
      ["registered", "locked, fence", "renewed until", "conflict", "written", "released"],
    );
    assert.equal(lines[3], "conflict: /by is 'another writer'");
    assert.equal(lines[4], 'written: {"by": "another writer", "lines": ["first", "second"]} version 3');
    const page = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(page, /^holdfast_version_conflicts_total 1$/mu);
    assert.match(page, /^holdfast_version_conflict_retries_total 1$/mu);
    assert.match(page, /^holdfast_calls_total\{door="http",operation="release-lock",outcome="done"\} 1$/mu);
  } finally {
    await server.close();
    await rm(data, { recursive: true });
  }
});
