/** `connect()` and the command line find the same server in the same environment. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "holdfast";
import { defaultUrl } from "../../sdk/src/client/address.ts";
import { settings } from "../../server/src/config/settings.ts";
import type { Terminal } from "../../server/src/doors/cli/command.ts";
import { runningServerOf, serverOf } from "../../server/src/doors/cli/discovery/server-of.ts";
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

interface Row {
  readonly title: string;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly urls: readonly string[];
  /** True where the command line reads the data folder instead, because no server runs. */
  readonly isDown?: true;
}

const rows: readonly Row[] = [
  { title: "a running server", folder: "live", urls: ["http://127.0.0.1:11"] },
  { title: "a running server, from a folder below", folder: "live/below/deeper", urls: ["http://127.0.0.1:11"] },
  { title: "a server whose process is gone", folder: "dead", urls: ["http://127.0.0.1:12"], isDown: true },
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
    title: "HOLDFAST_DATA without a note",
    folder: "live",
    env: { HOLDFAST_DATA: join(root, "empty") },
    urls: [defaultUrl],
    isDown: true,
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
  return { env, folder, print: none, warn: none, width: 80, paint: noPaint, readInput: () => Promise.resolve("") };
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

for (const { title, folder, env, urls, isDown } of rows)
  test(`connect() and the command line find the same server: ${title}`, async () => {
    const at = join(root, folder);
    const terminal = terminalAt(at, env);
    assert.equal(serverOf({ values: {}, positionals: [] }, terminal).url, urls.join(","));
    assert.equal(runningServerOf({ values: {}, positionals: [] }, terminal)?.url, isDown ? undefined : urls.join(","));
    assert.deepEqual(await connected(at, env), urls);
  });

test("the default address equals that of a server with default settings", () => {
  assert.equal(defaultUrl, `http://${settings.host.default}:${settings.port.default}`);
  assert.equal(settings.data.default, ".holdfast");
});
