import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { execChild } from "../scenario/spawn-child.ts";
import { serverFor } from "../socket/with-server.ts";

const guide = join(import.meta.dirname, "..", "..", "docs", "guides", "programs.md");

test("three agents build the ledger of the guide over HTTP with the documented results [G1 G2 G6 G7 G9 G10]", async (t) => {
  const { url } = await serverFor(t);
  const text = await readFile(guide, "utf8");
  const blocks = [...text.matchAll(/```sh\n(?<script>[^]*?)```\n\n```text\n(?<output>[^]*?)```/gu)];
  assert.equal(blocks.length, [...text.matchAll(/^```sh$/gmu)].length, "each block of commands has its output");
  assert.ok(blocks.length >= 8);
  const script = blocks.map(({ groups }) => groups?.["script"] ?? "").join("\n");
  const { stdout } = await execChild("bash", ["-euo", "pipefail", "-c", script], { env: { HOLDFAST_URL: url } });
  assert.equal(stdout, blocks.map(({ groups }) => groups?.["output"] ?? "").join(""));
  const verified = await fetch(`${url}/v1/programs/ledger/verify`, {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
  });
  const { valid, tested, untested } = (await verified.json()) as Record<"valid" | "tested" | "untested", number>;
  const all = tested + untested;
  t.diagnostic(`${tested} of ${all} functions with conditions were tested: ${((100 * tested) / all).toFixed(1)} %`);
  assert.ok(valid && all > 0 && tested >= 0.9 * all);
});
