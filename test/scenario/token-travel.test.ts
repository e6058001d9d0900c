/** Tokens go only to a server that the user named, or that proves itself. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import { runCli, withCliServer } from "./cli-terminal.ts";
import { eavesdrop } from "./eavesdropper.ts";
import { holdfast } from "./holdfast-command.ts";
import { spawnChild } from "./spawn-child.ts";

const secrets = {
  HOLDFAST_TOKEN: "hf_token_0123456789abcdef",
  HOLDFAST_OPERATOR_TOKEN: "hf_operator_0123456789abcdef0123456789",
  HOLDFAST_AGENT_ID: "a1",
  HOLDFAST_AGENT_SECRET: "hf_agent_0123456789abcdef",
};
const anySecret = /hf_/u;

function cloneOf(t: TestContext, url: string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-clone-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, ".holdfast");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, "server.json"), JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
  writeFileSync(join(data, "operator-token"), "hf_of_the_folder_0123456789abcdef0123456789", { mode: 0o600 });
  return folder;
}

test("a command in a cloned repository sends no secret to the address that the repository names [X14]", async (t) => {
  await using stranger = await eavesdrop();
  const folder = cloneOf(t, stranger.url);
  for (const command of ["locks", "whoami", "get note/a", "watch --limit 1", "lock a --no-wait -- true"]) {
    const { err } = await runCli(command, { folder, env: secrets });
    const warning = /HOLDFAST_TOKEN and HOLDFAST_OPERATOR_TOKEN and HOLDFAST_AGENT_SECRET are not sent: the address/u;
    assert.match(err, warning, command);
    assert.match(err, /name the server with --url, --data or HOLDFAST_URL\./u);
    assert.equal(err.split("are not sent").length, 2, "one warning");
  }
  assert.match(stranger.heard(), /"hello"/u);
  assert.doesNotMatch(stranger.heard(), anySecret);
});

test("an operator's command in a cloned repository sends neither the token of the environment nor that of the folder [X14]", async (t) => {
  await using stranger = await eavesdrop();
  const folder = cloneOf(t, stranger.url);
  for (const command of [
    "token list",
    "force-release a --reason x",
    "run --operator configure {}",
    "token list --data .holdfast",
  ]) {
    const env = command.includes("--data") ? {} : { HOLDFAST_OPERATOR_TOKEN: secrets.HOLDFAST_OPERATOR_TOKEN };
    const { code, err } = await runCli(command, { folder, env });
    assert.equal(code, 2, err);
    assert.match(err, /is sent only over the operator's socket there.*--token-file/u);
  }
  assert.equal(stranger.heard(), "");
});

test("a link in the place of the operator's token sends no other secret of the user to the server of the folder [X14]", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-link-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, ".holdfast");
  const server = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined });
  const token = join(data, "operator-token");
  renameSync(token, join(folder, "secret"));
  symlinkSync(join(folder, "secret"), token);
  const { code, err } = await runCli("token list", { folder });
  await server.close();
  assert.notEqual(code, 0);
  assert.match(err, /token_required/u);
});

test("a token of --token-file needs a server that the user names [X14]", async (t) => {
  await using stranger = await eavesdrop();
  const folder = cloneOf(t, stranger.url);
  writeFileSync(join(folder, "token"), `${secrets.HOLDFAST_TOKEN}\n`);
  const found = await runCli("locks --token-file token", { folder });
  assert.deepEqual([found.code, stranger.heard()], [2, ""]);
  assert.match(found.err, /the token of --token-file is not sent: the address .* name the server with --url/u);
  await runCli(`locks --token-file token --url ${stranger.url}`, { folder });
  assert.match(stranger.heard(), new RegExp(secrets.HOLDFAST_TOKEN, "u"));
  const missing = await runCli(`locks --token-file none --url ${stranger.url}`, { folder });
  assert.match(missing.err, /--token-file none cannot be read \(ENOENT\)/u);
  const empty = await runCli(`locks --token-file - --url ${stranger.url}`, { folder, input: "two words" });
  assert.match(empty.err, /standard input does not contain a token/u);
  const twice = await runCli(`put note/a - --token-file - --url ${stranger.url}`, { folder, input: "x" });
  assert.match(twice.err, /standard input is either the token or the input/u);
  const option = await runCli(`locks --token x --url ${stranger.url}`, { folder });
  assert.match(option.err, /unknown option --token; did you mean --token-file\?/u);
});

test("a program that finds its server in a folder sends it no token, and one that gets an address does [X14]", async (t) => {
  await using stranger = await eavesdrop();
  const folder = cloneOf(t, stranger.url);
  const program = join(import.meta.dirname, "../../examples/typescript/optimistic-edit.ts");
  const run = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const child = spawnChild(process.execPath, [program], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let warnings = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (warnings += text));
    await once(child, "close");
    return warnings;
  };
  const { HOLDFAST_TOKEN } = secrets;
  const warnings = await run({ HOLDFAST_TOKEN });
  assert.notEqual(stranger.heard(), "");
  assert.doesNotMatch(stranger.heard(), anySecret);
  assert.match(warnings, /HOLDFAST_TOKEN is not sent: .* Pass the address to connect\(\), or set HOLDFAST_URL\./u);
  await run({ HOLDFAST_TOKEN, HOLDFAST_URL: stranger.url });
  assert.match(stranger.heard(), new RegExp(HOLDFAST_TOKEN, "u"));
});

test("a program on the port of a crashed server gets no token, and the next server on the folder is reached again [X14]", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-crash-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, ".holdfast");
  const program = holdfast(folder, "up --json");
  const { url } = JSON.parse(await program.line(/"event":"up"/u)) as { readonly url: string };
  assert.equal((await runCli(`token list --data ${data}`)).code, 0);
  program.signal("SIGKILL");
  await program.ended;
  {
    await using stranger = await eavesdrop(Number(new URL(url).port));
    for (const command of [`token list --data ${data}`, "token list", `force-release a --reason x --data ${data}`]) {
      const { code, err } = await runCli(command, { folder });
      assert.equal(code, 122, err);
      assert.match(err, /unreachable: No Holdfast server answers/u);
    }
    const env = { HOLDFAST_TOKEN: secrets.HOLDFAST_TOKEN, HOLDFAST_DATA: data };
    const { code, err } = await runCli("locks", { folder, env });
    assert.equal(code, 122);
    assert.match(err, /no server runs on .*, its process is gone/u);
    assert.equal(stranger.heard(), "");
  }
  const again = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined });
  assert.equal((await runCli("token list", { folder })).code, 0);
  await again.close();
});

test(
  "the command under a lock does not inherit tokens that its server may not get [X14]",
  withCliServer(async ({ cli, folder, url }) => {
    const script = 'printenv HOLDFAST_URL HOLDFAST_TOKEN HOLDFAST_OPERATOR_TOKEN > "$0"; true';
    const command = (file: string, ...more: string[]): readonly string[] => {
      return ["lock", "a", ...more, "--", "/bin/sh", "-c", script, join(folder, file)];
    };
    const { HOLDFAST_TOKEN, HOLDFAST_OPERATOR_TOKEN } = secrets;
    const env = { PATH: process.env["PATH"] ?? "", HOLDFAST_TOKEN, HOLDFAST_OPERATOR_TOKEN };
    assert.equal((await cli(command("found"), { env })).code, 0);
    assert.equal(readFileSync(join(folder, "found"), "utf8"), `${url}\n`);
    const operator = readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim();
    const trusted = { ...env, HOLDFAST_TOKEN: operator };
    assert.equal((await cli(command("named", "--data", ".holdfast"), { env: trusted })).code, 0);
    assert.equal(readFileSync(join(folder, "named"), "utf8"), `${url}\n${operator}\n${HOLDFAST_OPERATOR_TOKEN}\n`);
  }),
);
