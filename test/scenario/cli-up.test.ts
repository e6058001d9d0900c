/** A server for one project: its port, its folder, and its life in the background. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { settings } from "../../server/src/config/settings.ts";
import { readConfig } from "../../server/src/config/read-config.ts";
import { portsOf, serveOnFreePort } from "../../server/src/doors/cli/up/serve-on-free-port.ts";
import { runCli } from "./cli-terminal.ts";
import { jsonLines, run } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

const defaultPort = settings.port.default;

async function takenPort(t: TestContext): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  t.after(() => taken.close());
  return (taken.address() as AddressInfo).port;
}

test("up tries another port only if the user chose none", () => {
  assert.deepEqual(portsOf(readConfig({ options: {}, env: {}, folder: "/nowhere" })), [defaultPort, 0]);
  assert.deepEqual(portsOf(readConfig({ options: { port: String(defaultPort) }, env: {}, folder: "/nowhere" })), [
    defaultPort,
  ]);
  assert.deepEqual(portsOf(readConfig({ options: {}, env: { HOLDFAST_PORT: "7" }, folder: "/nowhere" })), [7]);
});

test("a server starts on a free port if another process listens on the first one", async (t) => {
  const port = await takenPort(t);
  await inEmptyFolder(async (folder) => {
    const options = { data: join(folder, ".holdfast"), host: "127.0.0.1", port: 0, report: () => undefined };
    const running = await serveOnFreePort(options, [port, 0]);
    assert.notEqual(Number(new URL(running.url).port), port);
    await running.close();
  })();
});

test("a server without a chosen port returns to the last port of its folder, so its running workers reach it", async () => {
  await inEmptyFolder(async (folder) => {
    const first = await run(folder, "up --detach --json");
    assert.equal(first.code, 0, first.errors);
    const { url } = jsonLines(first)[0] as { url: string };
    assert.equal((await runCli("down", { folder })).code, 0);
    const again = await run(folder, "up --detach --json", { env: { HOLDFAST_PORT: "" } });
    assert.equal(jsonLines(again)[0]?.["url"], url, again.errors);
    assert.equal((await runCli("down", { folder })).code, 0);
    const read = (): readonly number[] => portsOf(readConfig({ options: {}, env: {}, folder }));
    assert.deepEqual(read(), [Number(new URL(url).port), defaultPort, 0]);
    writeFileSync(join(folder, ".holdfast", "port"), "70000\n");
    assert.deepEqual(read(), [defaultPort, 0]);
  })();
});

test("the commands that up suggests name the data folder if a search would not find it", async () => {
  await inEmptyFolder(async (folder) => {
    const { code, lines, errors } = await run(folder, "up --detach --data deep/data");
    assert.equal(code, 0, errors);
    const out = lines.join("\n");
    assert.match(out, /lock demo --data \S+deep\/data --purpose/u);
    assert.match(out, /`holdfast down --data \S+deep\/data`/u);
    assert.equal((await runCli("down --data deep/data", { folder })).code, 0);
  })();
});

test("an `up` that fails removes the folders that it created, and keeps those that existed", async (t) => {
  const port = await takenPort(t);
  await inEmptyFolder(async (folder) => {
    for (const line of [`up --port ${port}`, `up --port ${port} --data deep/er/data`, `up --port ${port} --detach`]) {
      const { code, errors } = await run(folder, line);
      assert.equal(code, 8, errors);
      assert.match(errors, /another process listens on 127\.0\.0\.1/u);
      assert.deepEqual(readdirSync(folder), [], line);
    }
    mkdirSync(join(folder, ".holdfast"), { mode: 0o700 });
    writeFileSync(join(folder, ".holdfast", "holdfast.json"), "{}", { mode: 0o600 });
    assert.equal((await runCli(`up --port ${port}`, { folder })).code, 8);
    assert.ok(existsSync(join(folder, ".holdfast", "holdfast.json")));
  })();
});

test(
  "`up --detach` runs in the background with a log file, `status` shows it, and `down` stops it",
  inEmptyFolder(async (folder) => {
    assert.equal((await runCli("status", { folder })).code, 122);
    const started = await run(folder, "up --detach --json");
    assert.equal(started.code, 0, started.errors);
    const [up] = jsonLines(started);
    const log = join(folder, ".holdfast", "holdfast.log");
    assert.equal(up?.["log"], log);
    assert.equal(statSync(log).mode & 0o777, 0o600);
    const status = await runCli("status", { folder: join(folder, ".holdfast") });
    assert.match(status.out, new RegExp(`runs and is ready\\.\n  address   ${String(up["url"])}\n`, "u"));
    assert.match(status.out, new RegExp(`process   ${String(up["pid"])}\n`, "u"));
    assert.equal((await runCli("locks", { folder })).code, 0);
    const second = await run(folder, "up --detach");
    assert.deepEqual([second.code, existsSync(log)], [3, true], "the second one leaves the folder of the first one");
    const down = await runCli("down", { folder });
    assert.match(
      down.out,
      new RegExp(`^stopped the server on ${folder}/\\.holdfast \\(process ${String(up["pid"])}\\)`),
    );
    assert.match(readFileSync(log, "utf8"), /"event":"stopped"/u);
    assert.deepEqual([(await runCli("down", { folder })).code, (await runCli("locks", { folder })).code], [122, 122]);
  }),
);
