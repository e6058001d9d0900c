/** `connect()` and the command line find the same server in the same environment. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import { connect } from "holdfast";
import { defaultUrl } from "../../sdk/src/client/transport/address.ts";
import { settings } from "../../server/src/config/settings.ts";
import type { Terminal } from "../../server/src/doors/cli/command.ts";
import { noteDefaultServer, serverOf, serverOrFolderOf } from "../../server/src/doors/cli/discovery/server-of.ts";
import { noPaint } from "../../server/src/doors/cli/terminal/paint.ts";
import { spawnChildSync } from "../scenario/spawn-child.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-find-"));
after(() => rmSync(root, { recursive: true }));

const deadPid = spawnChildSync(process.execPath, ["--version"]).pid;

function note(folder: string, text: string): string {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, "server.json"), text);
  return join(root, folder);
}

// The server note above all test folders. A search ends here and reads no folder of the user.
const outer = "http://127.0.0.1:10";
note(".holdfast", JSON.stringify({ url: outer, pid: process.pid }));
note("live/.holdfast", JSON.stringify({ url: "http://127.0.0.1:11", pid: process.pid }));
mkdirSync(join(root, "live", "below", "deeper"), { recursive: true });
note("dead/.holdfast", JSON.stringify({ url: "http://127.0.0.1:12", pid: deadPid }));
const named = note("named", JSON.stringify({ url: "http://127.0.0.1:14", pid: process.pid }));
mkdirSync(join(root, "empty"));
mkdirSync(join(root, "stopped", ".holdfast"), { recursive: true });
writeFileSync(join(root, "stopped", ".holdfast", "journal.db"), "");
mkdirSync(join(root, "stopped", "below"));
mkdirSync(join(root, "noted", ".holdfast", "agents"), { recursive: true });

interface Row {
  readonly title: string;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly urls: readonly string[];
}

const rows: readonly Row[] = [
  { title: "a running server", folder: "live", urls: ["http://127.0.0.1:11"] },
  { title: "a running server, from a folder below", folder: "live/below/deeper", urls: ["http://127.0.0.1:11"] },
  { title: "a running server above a folder without a note", folder: "empty", urls: [outer] },
  {
    title: "HOLDFAST_URL before a note",
    folder: "live",
    env: { HOLDFAST_URL: "http://127.0.0.1:15/", HOLDFAST_DATA: named },
    urls: ["http://127.0.0.1:15"],
  },
  {
    title: "HOLDFAST_URL with several nodes",
    folder: "live",
    env: { HOLDFAST_URL: "http://127.0.0.1:15, ws://127.0.0.1:16" },
    urls: ["http://127.0.0.1:15", "http://127.0.0.1:16"],
  },
  {
    title: "HOLDFAST_DATA before the nearest note",
    folder: "live",
    env: { HOLDFAST_DATA: named },
    urls: ["http://127.0.0.1:14"],
  },
  {
    title: "HOLDFAST_DATA relative to the working directory",
    folder: "live",
    env: { HOLDFAST_DATA: "../named" },
    urls: ["http://127.0.0.1:14"],
  },
  {
    title: "empty variables",
    folder: "live",
    env: { HOLDFAST_URL: "", HOLDFAST_DATA: "" },
    urls: ["http://127.0.0.1:11"],
  },
];

function terminalAt(folder: string, env: Row["env"] = {}): Terminal {
  const none = (): void => undefined;
  const readInput = () => Promise.resolve("");
  return { env, folder, print: none, output: new PassThrough(), warn: none, width: 80, paint: noPaint, readInput };
}

/** The addresses to which `connect()` sends its first call, without a network. */
async function connected(folder: string, env: Row["env"] = {}): Promise<readonly string[]> {
  const asked: string[] = [];
  const [fetchBefore, folderBefore, envBefore] = [globalThis.fetch, process.cwd(), { ...process.env }];
  globalThis.fetch = (input) => {
    asked.push(new URL(input).origin);
    return Promise.reject(new TypeError("no network", { cause: { code: "ECONNREFUSED" } }));
  };
  delete process.env["HOLDFAST_URL"];
  delete process.env["HOLDFAST_DATA"];
  Object.assign(process.env, env);
  process.chdir(folder);
  try {
    await using client = await connect(undefined, { transport: "http", retry: false });
    await assert.rejects(client.entities.get("note", "a"), { code: "unreachable" });
  } finally {
    process.chdir(folderBefore);
    process.env = envBefore;
    globalThis.fetch = fetchBefore;
  }
  return [...new Set(asked)].sort();
}

const noArguments = { values: {}, positionals: [] };

for (const { title, folder, env, urls } of rows)
  test(`connect() and the command line find the same server: ${title}`, async () => {
    const at = join(root, folder);
    const terminal = terminalAt(at, env);
    assert.equal(serverOf(noArguments, terminal).url, urls.join(","));
    assert.deepEqual(await connected(at, env), urls);
  });

const stopped: readonly Row[] = [
  { title: "a folder whose server crashed", folder: "dead", urls: [] },
  { title: "a folder whose server was stopped", folder: "stopped/below", urls: [] },
  { title: "HOLDFAST_DATA without a server", folder: "live", env: { HOLDFAST_DATA: join(root, "empty") }, urls: [] },
];

for (const { title, folder, env } of stopped)
  test(`connect() and the command line stop at a data folder without a server: ${title}`, async () => {
    const at = join(root, folder);
    const terminal = terminalAt(at, env);
    const data = env?.["HOLDFAST_DATA"] ?? join(root, folder.split("/")[0] ?? "", ".holdfast");
    const refusal = { code: "unreachable", message: new RegExp(`no server runs on ${data}`, "u") };
    assert.throws(() => serverOf(noArguments, terminal), refusal);
    assert.deepEqual(serverOrFolderOf(noArguments, terminal), { folder: data });
    const [folderBefore, envBefore] = [process.cwd(), { ...process.env }];
    delete process.env["HOLDFAST_URL"];
    Object.assign(process.env, env);
    process.chdir(at);
    try {
      await assert.rejects(connect(), refusal);
    } finally {
      process.chdir(folderBefore);
      process.env = envBefore;
    }
  });

test("a folder that has only the notes of agents does not end the search", () => {
  assert.equal(serverOf(noArguments, terminalAt(join(root, "noted"))).url, outer);
});

/** A main checkout, and the two files by which git links a worktree to it. */
function linkWorktree(name: string, back: string): string {
  const [worktree, record] = [join(root, name), join(root, "live", ".git", "worktrees", name)];
  mkdirSync(worktree, { recursive: true });
  mkdirSync(record, { recursive: true });
  writeFileSync(join(worktree, ".git"), `gitdir: ${record}\n`);
  writeFileSync(join(record, "commondir"), "../..\n");
  writeFileSync(join(record, "gitdir"), `${back}\n`);
  mkdirSync(join(worktree, "src"));
  return join(worktree, "src");
}

test("a linked git worktree uses the server of its main checkout", () => {
  const below = linkWorktree("worktree", join(root, "worktree", ".git"));
  assert.equal(serverOf(noArguments, terminalAt(below)).url, "http://127.0.0.1:11");
});

test("a file `.git` that its main checkout does not name in return leads nowhere [X14]", () => {
  const below = linkWorktree("stranger", join(root, "worktree", ".git"));
  assert.equal(serverOf(noArguments, terminalAt(below)).url, outer);
});

test("the command line says that it uses the default address, and only if there is no data folder", () => {
  const said: string[] = [];
  const warn = (line: string): void => void said.push(line);
  const found = serverOf(noArguments, terminalAt("/"));
  assert.equal(found.url, defaultUrl);
  noteDefaultServer(found, { warn });
  noteDefaultServer(serverOf(noArguments, terminalAt(join(root, "live"))), { warn });
  assert.deepEqual(said, [
    `holdfast: no data folder here or above; using the server at ${defaultUrl}, the default address.`,
  ]);
});

test("the default address equals that of a server with default settings", () => {
  assert.equal(defaultUrl, `http://${settings.host.default}:${settings.port.default}`);
  assert.equal(settings.data.default, ".holdfast");
});
