/**
 * Runs the commands of a guide and compares their output with the documented one. The packages are those of this project,
 * and the server is one of this process.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { freePort } from "./free-port.ts";
import { execChild } from "./spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");

/** Ends the output of a block. */
const mark = "--- end of block ---";
/** The workers end with the shell, and the shell ends with its time. */
const secondsMax = 120;
const preamble = "trap 'kill -9 $(jobs -p) 2> /dev/null || true' EXIT\n";
const preambleWithServer = preamble.replace("kill", "holdfast down > /dev/null 2>&1 || true; kill");

/** Programs, so that a command in the background is one process that the shell can signal. */
const holdfast = `exec node "${join(root, "server/bin/holdfast.js")}" "$@"\n`;
const programs = { holdfast: `#!/bin/sh\n${holdfast}`, npx: `#!/bin/sh\nshift\n${holdfast}` };

interface GuideOptions {
  /** The guide starts and stops its own server, in its folder. */
  readonly startsServer?: boolean;
}

/** Each block of commands in the guide is followed by a block with its output. */
export async function runGuide(
  t: TestContext,
  name: string,
  { startsServer: hasOwnServer = false }: GuideOptions = {},
): Promise<void> {
  const server = hasOwnServer
    ? { HOLDFAST_PORT: String(await freePort()) }
    : { HOLDFAST_URL: (await serverFor(t)).url };
  const text = await readFile(join(root, "docs", "guides", name), "utf8");
  const blocks = [...text.matchAll(/```sh\n(?<script>[^]*?)```\n\n```text\n(?<output>[^]*?)```/gu)];
  assert.ok(blocks.length > 0);
  assert.equal(blocks.length, [...text.matchAll(/^```sh/gmu)].length, "each block of commands has its output");
  const script = blocks.map(({ groups }) => `${groups?.["script"] ?? ""}\necho '${mark}'\n`).join("");
  const folder = await mkdtemp(join(root, ".tmp-guide-"));
  try {
    for (const [program, code] of Object.entries(programs))
      await writeFile(join(folder, program), code, { mode: 0o755 });
    const start = hasOwnServer ? preambleWithServer : preamble;
    const command = [String(secondsMax), "bash", "-euo", "pipefail", "-c", start + script];
    const PATH = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
    const { stdout } = await execChild("timeout", command, { cwd: folder, env: { ...server, PATH } });
    const found = stdout.split(`${mark}\n`);
    for (const [index, { groups }] of blocks.entries())
      assert.match(found[index] ?? "", patternOf(groups?.["output"] ?? ""));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The documented output as a pattern: `…` is any text of a line. */
function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "u");
}
