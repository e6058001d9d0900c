/** The commands about intents, as people and programs use them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import { withCliServer } from "./cli-terminal.ts";

test(
  "`intents`, `intent` and `stop-intent` show the runs of intents, and name the next step [B5]",
  withCliServer(async ({ cli, cliJson, url }) => {
    assert.equal((await cli("intents")).out, "There are no intents.\n");
    await using client = await connect(url);
    for (const id of ["order-1", "order-2"]) await client.intents.create({ id, payload: { chairs: 2 } });
    const fails = { name: "send", execute: () => Promise.reject(Object.assign(new Error("no paper"), { code: "E7" })) };
    const input = { name: "input", execute: () => ({ to: "normalized", note: "two lines" }) as const };
    const orders = await client.intents.bridges([input, fails, { name: "last", execute: () => undefined }], {
      name: "orders",
      onFailure: "pause",
    });
    await assert.rejects(orders.execute("order-1"));
    await client.intents.reevaluate("order-1", { diff: { chairs: 3 }, source: "ann", reason: "the customer called" });

    const all = (await cli("intents")).out;
    assert.match(
      all,
      /^INTENT +STATUS +RUN +PIPELINE\norder-1 +normalized +paused +orders\norder-2 +received +- +-\n$/u,
    );
    assert.equal((await cli("intents --run interrupted")).out, "No intent matches.\n");
    const { items } = await cliJson("intents --status received");
    assert.deepEqual(items, [{ id: "order-2", status: "received" }]);
    assert.match((await cli("intents --status odd")).err, /--status must be received or normalized/u);
    assert.match((await cli("intents --run ended")).err, /--run must be running or interrupted or paused/u);

    const { out } = await cli("intent order-1");
    assert.match(out, /^order-1 is normalized \(version \d+, changed /u);
    assert.match(out, /payload {2}\{"chairs":3\}/u);
    assert.match(out, /1\. ann, .*: the customer called \{"chairs":3\}/u);
    assert.match(out, /Run 1 of orders is paused \(mode failfast, started .*, 1 error\)/u);
    assert.match(out, /paused: send failed: E7; run the pipeline again to resume it/u);
    assert.match(out, /^ {2}input +done +1 +0 +under 1 s +- +two lines$/mu);
    assert.match(out, /^ {2}send +failed +1 +0 +under 1 s +E7: no paper +-$/mu);
    assert.match(out, /^ {2}last +-$/mu);
    assert.equal((await cliJson("intent order-1"))["status"], "normalized");
    assert.match((await cli("intent order-9")).err, /order-9/u);

    const lock = { paths: ["intent/order-2"], ownerId: "py-7", ttlMs: 60_000 };
    const held = await client.operations.acquireLock(lock);
    assert.ok(held.granted);
    await client.run("intents.run", { id: "order-2", fence: held.fence, pipeline: "py", bridges: [{ name: "input" }] });
    const asked = await cli(["stop-intent", "order-2", "--reason", "not needed"]);
    assert.match(
      asked.out,
      /Run 1 of order-2 was asked to stop\. `holdfast intent order-2 --watch` shows when it has\./u,
    );
    const running = (await cli("intent order-2")).out;
    assert.match(running, /Run 1 of py is running .*\n.*py-7 holds intent\/order-2/u);
    assert.match(running, /stop requested by .*: not needed\n.*holdfast force-release intent\/order-2/u);

    assert.match((await cli("stop-intent order-1")).err, /--reason is required/u);
    assert.match(
      (await cli(["stop-intent", "order-1", "--reason", "cancelled"])).out,
      /Run 1 of order-1 is stopped\./u,
    );
    const again = await cli(["stop-intent", "order-1", "--reason", "cancelled"]);
    assert.match(again.err, /Read the intent/u);
  }),
);

test(
  "`intent --watch` shows each change of a running run with its worker, and ends with the intent [B5]",
  withCliServer(async ({ cli, url }) => {
    await using client = await connect(url);
    await client.intents.create({ id: "1", payload: {} });
    const begun = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<{ readonly to: "completed" }>();
    const orders = await client.intents.bridges(
      [
        { name: "input", execute: () => ({ to: "normalized" }) },
        {
          name: "work",
          execute: () => {
            begun.resolve(undefined);
            return ended.promise;
          },
        },
      ],
      { name: "orders" },
    );
    const running = orders.execute("1");
    await begun.promise;
    const shown = await cli("intent 1");
    assert.match(shown.out, /Run 1 of orders is running/u);
    const watching = cli("intent 1 --watch --json");
    ended.resolve({ to: "completed" });
    await running;
    const { out, code } = await watching;
    const states = out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly status: string }).status);
    assert.equal(code, 0);
    assert.equal(states.at(-1), "completed");
  }),
);
