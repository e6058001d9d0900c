/** Workers and servers in processes of their own, which are killed or stopped. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { counts } from "../prove/counts.ts";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { startWorkerProcess } from "./worker-process.ts";

/** A client with the operator token of the folder, which changes caps and kinds. */
function asOperator(url: string, folder: string): Promise<Client> {
  return connect(url, { token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim() });
}

describe("workers in processes of their own", () => {
  test("jobs run once and within their cap after kill -9 of the server, and no slot is lost [W8 X3]", async (t) => {
    const folder = await folderFor(t);
    const port = await freePort();
    const up = async () => {
      const server = holdfast(folder, ["up", "--json", "--data", join(folder, ".holdfast"), "--port", String(port)]);
      t.after(() => {
        server.signal("SIGKILL");
      });
      await server.line(/"event":"up"/u);
      return server;
    };
    const first = await up();
    const url = `http://127.0.0.1:${String(port)}`;
    await using client = await asOperator(url, folder);
    await client.jobs.configure({ maxGlobalJobs: 1 });
    const worker = await startWorkerProcess(t, url, "a");
    await client.jobs.submit("a", { wait: true }, { id: "j1" });
    await client.jobs.submitMany([
      { type: "a", id: "j2" },
      { type: "a", id: "j3" },
    ]);
    assert.equal(await worker.line(), "started j1 1 -");
    first.signal("SIGKILL");
    await first.ended;
    const second = await up();
    const { running } = await client.jobs.stats();
    assert.equal(running, 1);
    worker.go();
    const lines = [await worker.line(), await worker.line(), await worker.line()];
    assert.deepEqual(lines, ["ended j1", "started j2 1 -", "started j3 1 -"]);
    const ends = await Promise.all(["j1", "j2", "j3"].map((id) => client.jobs.wait(id)));
    assert.deepEqual(
      ends.map(({ state, attempt }) => [state, attempt]),
      [1, 2, 3].map(() => ["completed", 1]),
    );
    assert.equal((await client.jobs.stats()).running, 0);
    second.signal("SIGKILL");
    await second.ended;
  });

  test("a worker whose event loop is blocked keeps its claim and its offer, because a thread sends its heartbeats [W9]", async (t) => {
    const folder = await folderFor(t);
    const { url } = await serverFor(t, join(folder, ".holdfast"));
    await using client = await connect(url);
    const [worker, block] = [await startWorkerProcess(t, url, "busy"), join(folder, "go")];
    await once(spawnChild("mkfifo", [block]), "exit");
    await client.jobs.submit("busy", { block }, { id: "j1" });
    assert.equal(await worker.line(), "started j1 1 -");
    const offerEnd = async (): Promise<string> => (await client.jobs.listWorkers()).items[0]?.until ?? "none";
    const [start, beats] = [await offerEnd(), client.watch({ names: ["evt.agents.renewed"] })];
    for (let count = 0; count < counts.blockedBeats; count += 1) await beats.next();
    await beats.return?.();
    assert.ok((await offerEnd()) > start, "the offer was renewed");
    await client.jobs.submit("busy", null, { id: "j2" });
    await writeFile(block, "go");
    assert.equal(await worker.line(), "started j2 1 -");
    const { state, attempt } = await client.jobs.wait("j1");
    assert.deepEqual([state, attempt], ["completed", 1]);
  });

  test("a worker of a closed client sends no heartbeats, and its jobs are aborted", async (t) => {
    const { url } = await serverFor(t);
    await using other = await connect(url);
    const client = await connect(url);
    const [started, aborted] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await client.jobs.work("long", async ({ signal }) => {
      started.resolve(undefined);
      signal.addEventListener("abort", () => {
        aborted.resolve(undefined);
      });
      await aborted.promise;
    });
    await other.jobs.submit("long", null, { id: "j1" });
    await started.promise;
    await client.close();
    await aborted.promise;
    assert.equal((await other.jobs.get("j1")).state, "running", "the job ends with its lease");
  });
});
