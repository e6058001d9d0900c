/** A `.holdfast` may come from a repository or from another user. Its address counts only with proof. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findOperatorServer, findServer, findServerOn } from "../../sdk/src/client/discovery/find-server.node.ts";
import { spawnChild, spawnChildSync } from "../scenario/spawn-child.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-trust-"));
after(() => rmSync(root, { recursive: true }));

// A search that continued in this parent would be an error of the test.
writeNote("", { url: "http://127.0.0.1:10", pid: process.pid });

/** Writes the note of a `.holdfast` in a folder of the test, and returns that folder. */
function writeNote(name: string, content: object | string): string {
  const data = join(root, name, ".holdfast");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(data, "server.json"), text, { mode: 0o600 });
  return join(root, name);
}

const good = { url: "http://127.0.0.1:11", pid: process.pid };

function assertStops(folder: string, reason: RegExp): void {
  const surroundings = { folder, env: {} };
  const named = { folder, env: { HOLDFAST_DATA: ".holdfast" } };
  for (const where of [surroundings, named]) {
    assert.throws(() => findServer(where), { name: "TypeError", message: reason });
    assert.throws(() => findServer(where), /give the address explicitly: --url|If you trust it/u);
  }
}

const hostile: readonly (readonly [string, object | string, RegExp])[] = [
  ["a foreign host", { ...good, url: "http://192.0.2.7:80" }, /is not this host/u],
  ["a name that only looks like this host", { ...good, url: "http://localhost.example:1" }, /is not this host/u],
  ["all addresses", { ...good, url: "http://0.0.0.0:1" }, /is not this host/u],
  ["a user before a foreign host", { ...good, url: "http://127.0.0.1:1@192.0.2.7/" }, /is not this host/u],
  ["no JSON", "{", /a server did not write it/u],
  ["a list", "[1]", /a server did not write it/u],
  ["no address", { pid: 1 }, /a server did not write it/u],
  ["another scheme", { ...good, url: "ftp://127.0.0.1" }, /a server did not write it/u],
  ["no process", { url: good.url }, /a server did not write it/u],
  ...[0, -1, 1.5, 2 ** 31, 1e300, "1", null].map(
    (pid) => [`the process ${String(pid)}`, { ...good, pid }, /a server did not write it/u] as const,
  ),
  ["too many bytes", { ...good, more: "x".repeat(5_000) }, /more than 4096 bytes/u],
  ["another program's socket", { ...good, operator_socket: "/run/agent.sock" }, /not a path that a server chooses/u],
  ["a relative socket", { ...good, operator_socket: "holdfast-aaaaaa/operator.sock" }, /a server chooses/u],
];

for (const [index, [title, content, reason]] of hostile.entries())
  test(`a search for a server stops at an address file with ${title} [X14]`, () => {
    assertStops(writeNote(`hostile-${index}`, content), reason);
  });

test("an address file that contains a second address leads only to the first one [X14]", () => {
  const folder = writeNote("comma", { ...good, url: "http://127.0.0.1:12/,http://192.0.2.7" });
  assert.equal(findServer({ folder, env: {} })?.url, "http://127.0.0.1:12");
});

test("every address of this host is accepted", () => {
  for (const [index, host] of ["localhost", "127.1.2.3", "[::1]", "2130706433"].entries()) {
    const folder = writeNote(`own-${index}`, { ...good, url: `http://${host}:11` });
    assert.ok(findServer({ folder, env: {} }) !== undefined, host);
  }
});

test("a search stops at a folder or a file that other users can write [X14]", () => {
  const folder = writeNote("shared-folder", good);
  chmodSync(join(folder, ".holdfast"), 0o770);
  assertStops(folder, /other users can write to it/u);
  const file = writeNote("shared-file", good);
  chmodSync(join(file, ".holdfast", "server.json"), 0o606);
  assertStops(file, /server\.json .*other users can write to it/u);
});

test("a search does not follow symbolic links, and does not wait for a pipe [X14]", () => {
  const real = writeNote("real", good);
  for (const name of ["link", "file-link", "pipe"]) mkdirSync(join(root, name));
  symlinkSync(join(real, ".holdfast"), join(root, "link", ".holdfast"));
  assert.throws(() => findServer({ folder: join(root, "link"), env: {} }), /is a symbolic link/u);
  // A link that the user names is the user's own choice.
  assert.equal(findServerOn("link/.holdfast", "--data", { folder: root, env: {} }).url, good.url);
  const linked = writeNote("file-link", good);
  rmSync(join(linked, ".holdfast", "server.json"));
  symlinkSync(join(real, ".holdfast", "server.json"), join(linked, ".holdfast", "server.json"));
  assertStops(linked, /is a symbolic link/u);
  const pipe = writeNote("pipe", good);
  rmSync(join(pipe, ".holdfast", "server.json"));
  spawnChildSync("mkfifo", [join(pipe, ".holdfast", "server.json")]);
  assertStops(pipe, /not a regular file/u);
});

const isRoot = process.getuid?.() === 0;

test(
  "a search stops at a folder or a file of another user [X14]",
  { skip: isRoot ? false : "only root can make a file of another user" },
  () => {
    const folder = writeNote("foreign-folder", good);
    chownSync(join(folder, ".holdfast"), 65_534, 65_534);
    assertStops(folder, /belongs to user 65534, not to you/u);
    const file = writeNote("foreign-file", good);
    chownSync(join(file, ".holdfast", "server.json"), 65_534, 65_534);
    assertStops(file, /server\.json .*belongs to user 65534/u);
  },
);

test("a process of another user that has the process id of a crashed server is not that server [X14]", async () => {
  // Only root can start a process of another user. For other users the first process is one.
  const isRoot = process.getuid?.() === 0;
  const stranger = isRoot ? spawnChild("sleep", ["60"], { uid: 65_534, gid: 65_534, stdio: "ignore" }) : undefined;
  if (stranger !== undefined) await once(stranger, "spawn");
  const folder = writeNote("reused", { ...good, pid: stranger?.pid ?? 1 });
  const search = (): unknown => findServer({ folder, env: { HOLDFAST_DATA: ".holdfast" } });
  assert.throws(search, { code: "unreachable", message: /its process is gone/u });
  stranger?.kill("SIGKILL");
});

test("a file in the place of the operator's socket stops the search of an operator [X14]", () => {
  const folder = writeNote("no-socket", good);
  assert.equal(findOperatorServer(undefined, { folder, env: {} }), undefined);
  writeFileSync(join(folder, ".holdfast", "operator.sock"), "");
  assert.throws(() => findOperatorServer(undefined, { folder, env: {} }), /it is not a socket/u);
});
