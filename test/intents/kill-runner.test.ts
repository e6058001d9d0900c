/** Real runner processes that are killed at named points, paused past their lease, and left by their server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { connect } from "holdfast";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { counts } from "../prove/counts.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { assertRun, startRunner } from "./runner-process.ts";

/**
 * The points at which a runner is killed. They are after an effect and before its result, before the run, in a bridge,
 * and after the last answer. `kill-before-answer.test.ts` has the point between a result and its answer.
 */
const points = ["after second", "before run", "in first", "in third", "after third", "after the last"] as const;

describe("runners in processes of their own", () => {
  test("a run continues after kill -9 of its runner at each point, with each step done once under one key [B5 X3]", async (t) => {
    const folder = await folderFor(t);
    const { url } = await serverFor(t, join(folder, ".holdfast"));
    await using client = await connect(url);
    for (let round = 0; round < counts.runnerKills; round += 1) {
      const id = String(round);
      const file = join(folder, `effects-${id}`);
      await client.intents.create({ id, payload: { count: 0 } });
      const point = points[round % points.length] ?? "in first";
      const doomed = startRunner(t, { urls: [url], id, file, point });
      const isEnded = point === "after the last";
      if (isEnded) assert.equal(await doomed.line(), "ended completed 0");
      assert.equal(await doomed.line(), `at ${point}`);
      doomed.signal("SIGKILL");
      if (!isEnded) {
        const takeovers = point === "before run" ? 0 : 1;
        assert.equal(await startRunner(t, { urls: [url], id, file }).line(), `ended completed ${takeovers}`);
      }
      await assertRun(client, id, file);
    }
  });

  test("a runner that is paused past its lease learns that it lost the run, and its late result is refused [B5 X3]", async (t) => {
    const folder = await folderFor(t);
    const { url } = await serverFor(t, join(folder, ".holdfast"));
    await using client = await connect(url);
    await client.intents.create({ id: "1", payload: { count: 0 } });
    const file = join(folder, "effects");
    const paused = startRunner(t, { urls: [url], id: "1", file, point: "after first" });
    assert.equal(await paused.line(), "at after first");
    paused.signal("SIGSTOP");
    assert.equal(await startRunner(t, { urls: [url], id: "1", file }).line(), "ended completed 1");
    paused.signal("SIGCONT");
    assert.deepEqual([await paused.line(), await paused.line()], ["aborted lock_lost", "failed lock_lost"]);
    await assertRun(client, "1", file);
    const crashed = (await client.intents.get("1")).run?.steps["first"];
    assert.deepEqual([crashed?.crashes, crashed?.tries], [1, 2]);
  });

  test("a run continues after kill -9 of its server and of its runner [B5]", async (t) => {
    const folder = await folderFor(t);
    const port = await freePort();
    const data = join(folder, ".holdfast");
    const up = async () => {
      const server = holdfast(folder, ["up", "--json", "--data", data, "--port", String(port)]);
      await server.line(/"event":"up"/u);
      return server;
    };
    const first = await up();
    const url = `http://127.0.0.1:${port}`;
    await using client = await connect(url);
    await client.intents.create({ id: "1", payload: { count: 0 } });
    const file = join(folder, "effects");
    const doomed = startRunner(t, { urls: [url], id: "1", file, point: "after second" });
    assert.equal(await doomed.line(), "at after second");
    first.signal("SIGKILL");
    await first.ended;
    doomed.signal("SIGKILL");
    const second = await up();
    try {
      assert.equal(await startRunner(t, { urls: [url], id: "1", file }).line(), "ended completed 1");
      await assertRun(client, "1", file);
    } finally {
      second.signal("SIGKILL");
      await second.ended;
    }
  });
});
