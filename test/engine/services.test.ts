import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServiceFactory } from "../../server/src/services/service.ts";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { ManualClock } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

/** A service whose starts fail while `failure` is set. */
function scriptedService() {
  const script = { startCount: 0, stopCount: 0, failure: undefined as string | undefined };
  let failRunning: (cause: unknown) => void = () => undefined;
  const factory: ServiceFactory = ({ fail }) => {
    failRunning = fail;
    return {
      name: "scripted",
      start() {
        script.startCount += 1;
        return script.failure === undefined ? Promise.resolve() : Promise.reject(new Error(script.failure));
      },
      stop() {
        script.stopCount += 1;
        return Promise.resolve();
      },
      health: () => ({ starts: script.startCount }),
    };
  };
  return { script, factory, fail: (reason: string) => failRunning(new Error(reason)) };
}

describe("services", () => {
  test("a service that fails at its start is reported and started again with a growing delay", async () => {
    const { services, clock, client, reports } = await startNode();
    const { script, factory } = scriptedService();
    const report = (message: string): void => void reports.push(message);
    script.failure = "no storage";
    const keeper = new ServiceKeeper([factory], { services, report });
    await keeper.start();
    assert.deepEqual(keeper.status()["scripted"], {
      ...{ ready: false, reasons: ["no storage"], restarts: 0, details: { starts: 1 } },
    });
    assert.deepEqual(reports, ["the service scripted failed and is started again in 1 s"]);
    await clock.pass(950);
    assert.equal(script.startCount, 1);
    await clock.pass(100);
    assert.equal(script.startCount, 2);
    await clock.pass(1_900);
    assert.equal(script.startCount, 2, "the second delay is twice the first");
    script.failure = undefined;
    await clock.pass(200);
    assert.deepEqual(keeper.status()["scripted"], {
      ...{ ready: true, reasons: [], restarts: 2, details: { starts: 3 } },
    });
    await keeper.stop();
    assert.equal(script.stopCount, 3, "each failed start is cleaned up, and the last one is stopped");
    await client.close();
  });

  test("a running service that fails is stopped and started again, and not after the keeper stopped", async () => {
    const { services, clock, client, reports } = await startNode();
    const { script, factory, fail } = scriptedService();
    const keeper = new ServiceKeeper([factory], { services, report: (message) => void reports.push(message) });
    await keeper.start();
    fail("the connection is lost");
    assert.deepEqual(keeper.status()["scripted"]?.reasons, ["the connection is lost"]);
    await clock.pass(1_100);
    assert.deepEqual([script.startCount, script.stopCount, keeper.status()["scripted"]?.ready], [2, 1, true]);
    fail("again");
    await keeper.stop();
    await clock.pass(120_000, 1_000);
    assert.equal(script.startCount, 2);
    await client.close();
  });

  test("a service that throws at once in its start, its stop and its details stops neither the server nor its health", async () => {
    const { services, client, reports } = await startNode();
    const broken = (of: string) => () => {
      throw new Error(`${of} is broken`);
    };
    const service = { name: "broken", start: broken("start"), stop: broken("stop"), health: broken("health") };
    const keeper = new ServiceKeeper([() => service], { services, report: (message) => void reports.push(message) });
    await keeper.start();
    const reasons = ["start is broken", "its details are unavailable: health is broken"];
    assert.deepEqual(keeper.status()["broken"], { ready: false, reasons, restarts: 0 });
    await keeper.stop();
    assert.deepEqual(reports, [
      "the service broken failed and is started again in 1 s",
      ...["the service broken could not be stopped", "the service broken could not be stopped"],
    ]);
    await client.close();
  });

  test("a service that hangs delays the start and the stop of a node by at most five seconds each", async () => {
    const { services, clock, client, reports } = await startNode();
    const never = new Promise<void>(() => undefined);
    const hanging: ServiceFactory = () => ({ name: "hanging", start: () => never, stop: () => never });
    const keeper = new ServiceKeeper([hanging], { services, report: (message) => void reports.push(message) });
    for (const work of [() => keeper.start(), () => keeper.stop()]) {
      let isDone = false;
      const working = work().then(() => (isDone = true));
      await clock.pass(4_900);
      assert.equal(isDone, false);
      await clock.pass(200);
      await working;
    }
    assert.equal(reports.filter((message) => message.includes("does not answer")).length, 2);
    await client.close();
  });

  test("services of several nodes that send a command with one id produce one entry", async () => {
    const clock = new ManualClock();
    const first = await startNode({ clock });
    const second = await startNode({ clock, disk: first.disk });
    const sender: ServiceFactory = ({ send }) => ({
      name: "sender",
      async start() {
        const reply = await send("create-entity", { type: "note", id: "1", value: {} }, "create-note:1");
        assert.equal(reply.outcome.kind, "done");
      },
      stop: () => Promise.resolve(),
    });
    for (const node of [first, second]) {
      const keeper = new ServiceKeeper([sender], {
        services: node.services,
        report: (message) => assert.fail(message),
      });
      await keeper.start();
      assert.equal(keeper.status()["sender"]?.ready, true);
    }
    assert.equal(second.engine.head.position, 1);
    await first.client.close();
    await second.client.close();
  });
});
