import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inEmptyFolder } from "../scenario/program.ts";
import { execChild } from "../scenario/spawn-child.ts";
import { serverFor } from "../socket/with-server.ts";

const project = join(import.meta.dirname, "..", "..");
const guide = join(project, "docs", "guides", "publish-files.md");

test("the commands of the guide publish, list and fetch files with the documented results [W6]", (t) =>
  inEmptyFolder(async (folder) => {
    const { url } = await serverFor(t);
    const text = await readFile(guide, "utf8");
    const blocks = [...text.matchAll(/```sh\n(?<script>[^]*?)```\n\n```text\n(?<output>[^]*?)```/gu)];
    assert.equal(blocks.length, [...text.matchAll(/^```sh$/gmu)].length, "each block of commands has its output");
    const command = `holdfast() { "${process.execPath}" "${join(project, "server/bin/holdfast.js")}" "$@"; }`;
    const script = [command, `cd "${folder}"`, ...blocks.map(({ groups }) => groups?.["script"] ?? "")].join("\n");
    const { stdout } = await execChild("bash", ["-euo", "pipefail", "-c", script], { env: { HOLDFAST_URL: url } });
    assert.equal(stdout, blocks.map(({ groups }) => groups?.["output"] ?? "").join(""));
  })());
