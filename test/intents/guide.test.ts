import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { strategyFor } from "@holdfast/sdk/contract";

const guide = join(import.meta.dirname, "..", "..", "docs", "guides", "choose-a-strategy.md");

test("the decision tree of the strategy guide and the contract agree on all eight cases [B2 B12]", async () => {
  const text = await readFile(guide, "utf8");
  const rows = [...text.matchAll(/^\| (yes|no) +\| (yes|no) +\| (yes|no) +\| (\w+) +\|$/gmu)];
  const cases = new Set(rows.map(([, ...cells]) => cells.slice(0, 3).join(" ")));
  assert.equal(cases.size, 8);
  for (const [line, idempotent, contended, critical, strategy] of rows) {
    const chosen = strategyFor({
      idempotent: idempotent === "yes",
      contended: contended === "yes",
      critical: critical === "yes",
    });
    assert.equal(chosen, strategy, line);
  }
});
