/** A start that fails closes what it has opened: the port, the lock of the folder, timers and monitors. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { Server as HttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createRuntime, defineKind, open } from "holdfast";
import Type from "typebox";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions } from "../../server/src/assembly/serve.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { freePort } from "./free-port.ts";
import { inEmptyFolder } from "./program.ts";

const needsLocks = defineKind({ type: "guarded", value: Type.Object({}), needsLocks: true });
const page = defineKind({ type: "page", value: Type.Object({}) });
const report = (): void => undefined;

/** A place for a start, and the means to make a stage of it fail. */
interface Stage {
  readonly data: string;
  readonly port: number;
  readonly t: TestContext;
}

interface Failure {
  readonly stage: string;
  readonly options: (stage: Stage) => Partial<ServeOptions> | Promise<Partial<ServeOptions>>;
  readonly error: RegExp;
}

const failures: readonly Failure[] = [
  {
    stage: "the folder of a node",
    options: ({ data }) => {
      writeFileSync(join(data, "file"), "");
      return { data: join(data, "file"), journal: { journal: "postgres://127.0.0.1:1/none" } };
    },
    error: /EEXIST|ENOTDIR|not a directory|folder/u,
  },
  {
    stage: "the toggles",
    options: () => ({ component_toggles: { lock_manger: true } }),
    error: /component_toggles\.lock_manger does not exist/u,
  },
  {
    stage: "the journal",
    options: () => ({ journal: { journal: "postgres://127.0.0.1:1/none" } }),
    error: /ECONNREFUSED|unreachable|connect/u,
  },
  { stage: "the machine", options: () => ({ kinds: [page, page] }), error: /two kinds/u },
  {
    stage: "the components",
    options: () => ({ kinds: [needsLocks], component_toggles: { lock_manager: false } }),
    error: /guarded needs the lock manager/u,
  },
  { stage: "the gate", options: () => ({ operatorToken: "short" }), error: /too short/u },
  {
    stage: "the mesh",
    options: () => ({ nats: { servers: ["nats://127.0.0.1:1"], principal: "operator" } }),
    error: /nats_principal/u,
  },
  {
    stage: "the port",
    options: async ({ t }) => {
      const taken = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => taken.once("listening", resolve));
      t.after(() => taken.close());
      return { port: (taken.address() as AddressInfo).port };
    },
    error: /EADDRINUSE/u,
  },
  { stage: "the names of the HTTP door", options: () => ({ allowedHosts: [7 as never] }), error: /toLowerCase/u },
  {
    stage: "the socket door",
    options: ({ t }) => {
      t.mock.method(HttpServer.prototype, "on", function (this: HttpServer, event: string, listener: () => void) {
        if (event === "upgrade") throw new Error("no upgrade in this test");
        return this.addListener(event, listener);
      });
      return {};
    },
    error: /no upgrade in this test/u,
  },
  {
    stage: "the address file",
    options: ({ data }) => {
      mkdirSync(join(data, "server.json", "inside"), { recursive: true });
      return {};
    },
    error: /server\.json/u,
  },
];

/** Counts what a start opens and does not show otherwise: timers that keep no process alive, and monitors of the loop. */
function countOpen(t: TestContext): () => { readonly timers: number; readonly monitors: number } {
  const timers = new Set<object>();
  const after = systemClock.after.bind(systemClock);
  t.mock.method(systemClock, "after", (delayMs: number, callback: () => void, options: { keepAlive: boolean }) => {
    const timer = {};
    timers.add(timer);
    const cancel = after(
      delayMs,
      () => {
        timers.delete(timer);
        callback();
      },
      options,
    );
    return () => {
      timers.delete(timer);
      cancel();
    };
  });
  const monitor = Object.getPrototypeOf(monitorEventLoopDelay()) as { enable(): boolean; disable(): boolean };
  const enable = t.mock.method(monitor, "enable").mock;
  const disable = t.mock.method(monitor, "disable").mock;
  return () => ({ timers: timers.size, monitors: enable.callCount() - disable.callCount() });
}

/** Servers, sockets, threads and timers that keep this process alive. */
const aliveNow = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /Server|Socket|Worker|MessagePort|Timeout/u.test(name))
    .sort();

/** The live resources after all closed handles are gone, which takes some turns of the event loop. */
async function settled(): Promise<readonly string[]> {
  await loopTicks(50);
  return aliveNow();
}

/** Fails if something is alive that was not `before`. */
async function assertNothingMore(before: readonly string[]): Promise<void> {
  const more = (): readonly string[] => {
    const rest = [...before];
    return aliveNow().filter((name) => {
      const index = rest.indexOf(name);
      if (index >= 0) rest.splice(index, 1);
      return index < 0;
    });
  };
  for (let turn = 0; turn < 1_000 && more().length > 0; turn += 1) await loopTicks(1);
  assert.deepEqual(more(), []);
}

async function assertPortIsFree(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
  await new Promise((resolve) => server.close(resolve));
}

for (const { stage, options, error } of failures)
  test(`a server whose start fails at ${stage} leaves nothing open`, (t) =>
    inEmptyFolder(async (folder) => {
      const data = join(folder, "data");
      mkdirSync(data, { mode: 0o700 });
      const port = await freePort();
      const given = await options({ data, port, t });
      const before = await settled();
      const opened = countOpen(t);
      await assert.rejects(serve({ data, host: "127.0.0.1", port, report, ...given }), error);
      assert.deepEqual(opened(), { timers: 0, monitors: 0 });
      await assertNothingMore(before);
      t.mock.restoreAll();
      await assertPortIsFree(port);
      await (await open(data, { report })).close();
    })());

for (const [stage, options, error] of [
  ["the toggles", { component_toggles: { lock_manger: true } }, /lock_manger does not exist/u],
  ["the components", { kinds: [needsLocks] }, /guarded needs the lock manager/u],
  ["the gate", { operatorToken: "short" }, /too short/u],
  ["the mesh", { nats: { servers: ["nats://127.0.0.1:1"], principal: "operator" } }, /nats_principal/u],
] as const)
  test(`a runtime whose start fails at ${stage} leaves nothing open`, (t) =>
    inEmptyFolder(async (folder) => {
      const before = await settled();
      const opened = countOpen(t);
      await assert.rejects(createRuntime({ journal: folder, report, ...options }), error);
      assert.deepEqual(opened(), { timers: 0, monitors: 0 });
      await assertNothingMore(before);
      await (await open(folder, { report })).close();
    })());

test("a server that is closed leaves nothing open", (t) =>
  inEmptyFolder(async (data) => {
    const before = await settled();
    const opened = countOpen(t);
    const server = await serve({ data, host: "127.0.0.1", port: 0, report });
    await server.close();
    assert.deepEqual(opened(), { timers: 0, monitors: 0 });
    await assertNothingMore(before);
    await (await open(data, { report })).close();
  })());
