/**
 * A runner or its server is killed after the entry that ends a step is durable, and before the runner gets the answer. A
 * proxy withholds exactly that answer, so the moment does not depend on time.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { connect } from "holdfast";
import { counts } from "../prove/counts.ts";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { folderFor } from "../socket/with-server.ts";
import { answerProxyFor } from "./answer-proxy.ts";
import { assertRun, donePositions, effectsOf, startRunner } from "./runner-process.ts";

const victims = ["runner", "server", "runner and server"] as const;
const steps = ["second", "third", "first"] as const;

describe("kills between a durable step and its answer", () => {
  test("a step whose answer is lost by kill -9 of its runner or server runs once, and its run completes [B5 X3]", async (t) => {
    const folder = await folderFor(t);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const up = async () => {
      const started = holdfast(folder, ["up", "--json", "--data", join(folder, ".holdfast"), "--port", String(port)]);
      await started.line(/"event":"up"/u);
      return started;
    };
    let server = await up();
    t.after(() => {
      server.signal("SIGKILL");
    });
    await using client = await connect(url);
    for (let round = 0; round < counts.answerKills; round += 1) {
      const victim = victims[round % 3] ?? "runner";
      const step = steps[(round + Math.floor(round / 3)) % 3] ?? "first";
      const id = String(round);
      const file = join(folder, `effects-${id}`);
      await client.intents.create({ id, payload: { count: 0 } });
      const proxy = await answerProxyFor(t, url, step);
      // A runner that survives its server keeps its lock only if the restart is shorter than the lease.
      const doomed = startRunner(t, { urls: [proxy.url], id, file, ttlMs: victim === "server" ? 60_000 : 1_000 });
      const ended = doomed.line();
      const early = ended.then((line) => Promise.reject(new Error(`the runner ended before the reply: ${line}`)));
      const { position, replayed } = await Promise.race([proxy.withheld, early]);
      assert.equal(replayed, false);
      if (victim !== "server") await doomed.kill();
      if (victim !== "runner") {
        server.signal("SIGKILL");
        await server.ended;
        server = await up();
      }
      if (victim === "server") {
        assert.equal(await ended, "ended completed 0");
        assert.deepEqual(proxy.delivered, [{ position, replayed: true }]);
      } else {
        const next = await startRunner(t, { urls: [url], id, file }).line();
        assert.equal(next, step === "third" ? "failed intents.transition_invalid" : "ended completed 1");
        assert.deepEqual(proxy.delivered, []);
      }
      await assertRun(client, id, file);
      assert.deepEqual(await donePositions(client, id, step), [position]);
      assert.deepEqual(await effectsOf(file), ["first", "second", "third"]);
    }
  });
});
