import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { execChild } from "../scenario/spawn-child.ts";

test("a program that waits for a check alone gets the result, and ends after it closes the client [G9]", async () => {
  const program = join(import.meta.dirname, "lone-program.ts");
  const { stdout } = await execChild(process.execPath, [program], { timeout: 60_000 });
  assert.equal(stdout, "true\n");
});
