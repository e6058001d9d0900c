import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { execChild } from "../scenario/spawn-child.ts";

const guide = join(import.meta.dirname, "..", "..", "docs", "guides", "plan-with-others.md");

test("the commands in the planning guide have the documented results on a fresh server [P2 P3 P4 P7 P9]", async (t) => {
  const { url } = await serverFor(t);
  const text = await readFile(guide, "utf8");
  const blocks = [...text.matchAll(/```sh\n(?<script>[^]*?)```\n\n```text\n(?<output>[^]*?)```/gu)];
  assert.equal(blocks.length, 3, "three patterns");
  const script = blocks.map(({ groups }) => groups?.["script"] ?? "").join("\n");
  const { stdout } = await execChild("bash", ["-euo", "pipefail", "-c", script], {
    env: { HOLDFAST_URL: url },
  });
  assert.equal(stdout, blocks.map(({ groups }) => groups?.["output"] ?? "").join(""));
});
