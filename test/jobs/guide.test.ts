/** Runs the commands of the guide. The packages are those of this project, and the server is one of this process. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { execChild } from "../scenario/spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const guide = join(root, "docs", "guides", "run-jobs.md");

/** Ends the output of a block. */
const mark = "--- end of block ---";
/** The workers end with the shell, and the shell ends with its time. */
const secondsMax = 120;

const preamble = "trap 'kill -9 $(jobs -p) 2> /dev/null || true' EXIT\n";

/** A program, so that a worker in the background is one process that the shell can signal. */
const npx = `#!/bin/sh
shift
exec node "${join(root, "server/src/doors/cli/main.ts")}" "$@"
`;

/** The documented output as a pattern: \`…\` is any text of a line. */
function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "u");
}

test("the commands of the jobs guide have the documented results", async (t) => {
  const { url } = await serverFor(t);
  const text = await readFile(guide, "utf8");
  const blocks = [...text.matchAll(/```sh\n(?<script>[^]*?)```\n\n```text\n(?<output>[^]*?)```/gu)];
  assert.equal(blocks.length, 4);
  const script = blocks.map(({ groups }) => `${groups?.["script"] ?? ""}\necho '${mark}'\n`).join("");
  const folder = await mkdtemp(join(root, ".tmp-guide-"));
  try {
    const command = [String(secondsMax), "bash", "-euo", "pipefail", "-c", preamble + script];
    await writeFile(join(folder, "npx"), npx, { mode: 0o755 });
    const PATH = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
    const { stdout } = await execChild("timeout", command, { cwd: folder, env: { HOLDFAST_URL: url, PATH } });
    const found = stdout.split(`${mark}\n`);
    for (const [index, { groups }] of blocks.entries())
      assert.match(found[index] ?? "", patternOf(groups?.["output"] ?? ""));
  } finally {
    await rm(folder, { recursive: true });
  }
});
