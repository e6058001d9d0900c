import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { missedGrantTable } from "../../server/src/features/locks/tables/missed-grants.ts";
import { lockLimits } from "../../server/src/features/locks/tables/settings.ts";
import { Decider, eventLines } from "./decider.ts";
import { after, lockNode } from "./lock-node.ts";
import type { LockNode } from "./lock-node.ts";

const minute = 60_000;
const slow = { ttl_seconds: 600, wait: true, ticket_seconds: 900, accept_seconds: 120 };

/** The data of the reply to a call. */
async function callOf(
  node: LockNode,
  operation: string,
  input: JsonObject,
  client: Pick<Client, "execute"> = node.client,
): Promise<JsonObject> {
  const { outcome } = await after(node, client.execute(operation, input));
  return outcome.data as JsonObject;
}

/** A waiter with this time to accept, whose ticket is granted. */
function grantedTicket(acceptSeconds?: number): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a");
  const accept = defined({ accept_seconds: acceptSeconds });
  decider.decide("acquire-lock", { paths: ["a"], owner_id: "bob", ttl_seconds: 3_600, wait: true, ...accept });
  decider.release("ann", "a");
  return decider;
}

/** The agent misses one grant at each path. */
function miss(decider: Decider, agent: string, paths: readonly string[]): void {
  for (const path of paths) {
    decider.acquire("ann", path);
    const input = { paths: [path], ttl_seconds: 600, wait: true, accept_seconds: 1 };
    decider.decide("acquire-lock", input, "p", agent);
  }
  for (const path of paths) {
    decider.time += 1;
    decider.release("ann", path);
  }
  decider.pass(1_000);
}

function missedPaths(decider: Decider): readonly string[] {
  const rows = [...decider.machine.dump()].filter(({ table }) => table === missedGrantTable.name);
  return rows.flatMap(({ row }) => (row as { missed: { path: string }[] }).missed.map(({ path }) => path));
}

describe("time to accept a granted ticket", () => {
  test("a granted ticket is kept for the time to accept that its request asked for, and then expires [X5]", () => {
    for (const [seconds, limitMs] of [
      [undefined, lockLimits.acceptMs],
      [1, 1_000],
      [600, 600_000],
    ] as const) {
      const decider = grantedTicket(seconds);
      assert.deepEqual(eventLines(decider.pass(limitMs - 1)), []);
      assert.deepEqual(eventLines(decider.pass(1)), ["lock.expired bob not_accepted"]);
    }
  });

  test("a time to accept of 0 or 601 seconds is refused [X5]", () => {
    const decider = new Decider();
    for (const accept of [0, 601])
      assert.equal(
        decider.decide("acquire-lock", { paths: ["a"], owner_id: "b", ttl_seconds: 9, accept_seconds: accept }).code,
        "input_invalid",
      );
  });

  test("replies to an acquire and reads of its ticket contain the times in force, also when they are repeated [X5]", async () => {
    const node = await lockNode();
    const times = ({ ticket_seconds: ticket, accept_seconds: accept }: JsonObject): unknown[] => [ticket, accept];
    const held = await callOf(node, "acquire-lock", { paths: ["p"], ttl_seconds: 60, owner_id: "a" });
    assert.deepEqual(times(held), [30, 10]);
    const input = { ...slow, paths: ["p"], owner_id: "b" };
    const key = { key: "once" };
    const { data } = (await node.client.execute("acquire-lock", input, key)).outcome;
    const place = data as JsonObject & { readonly ticket: string };
    assert.deepEqual(times(place), [900, 120]);
    assert.deepEqual(times(await callOf(node, "get-ticket", { ticket: place.ticket })), [900, 120]);
    const defaults = { ticket_seconds: 5, accept_seconds: 5 };
    assert.deepEqual(times(await callOf(node, "acquire-lock", { ...input, ...defaults })), [900, 120]);
    await callOf(node, "release-lock", { paths: ["p"], owner_id: "a" });
    const granted = await callOf(node, "get-ticket", { ticket: place.ticket });
    assert.deepEqual([granted["state"], ...times(granted)], ["granted", 900, 120]);
    const repeated = (await node.client.execute("acquire-lock", input, key)).outcome.data as JsonObject;
    assert.deepEqual([repeated["granted"], ...times(repeated)], [true, 900, 120]);
    await node.stop();
  });

  test("an agent sees a missed grant in its ticket, heartbeat and own view until its next acquire shows it [X5]", async () => {
    const node = await lockNode();
    const thinker = await node.agent("thinker");
    const ann = { ttl_seconds: 3_600, owner_id: "ann" };
    await callOf(node, "acquire-lock", { ...ann, paths: ["p", "q"] });
    const late = await callOf(node, "acquire-lock", { ...slow, paths: ["p"], accept_seconds: 20 }, thinker);
    const other = await callOf(node, "acquire-lock", { ...slow, paths: ["q"] }, thinker);
    await callOf(node, "release-lock", { paths: ["p"], owner_id: "ann" });
    await node.clock.pass(21_000, 500);
    const ticket = { ticket: other["ticket"] as string };
    const seen = await callOf(node, "get-ticket", ticket, thinker);
    const [grant] = seen["missed"] as readonly { path: string; granted_at: string; ended_at: string }[];
    assert.equal(grant?.path, "p");
    const keptMs = Date.parse(grant.ended_at) - Date.parse(grant.granted_at);
    assert.ok(keptMs >= 20_000 && keptMs < 21_000, String(keptMs));
    assert.deepEqual((await callOf(node, "heartbeat", {}, thinker))["missed"], [grant]);
    assert.deepEqual((await callOf(node, "who-am-i", {}, thinker))["missed"], [grant]);
    assert.equal((await callOf(node, "get-ticket", ticket))["missed"], undefined, "another caller does not see it");
    const ended = { ticket: late["ticket"] as string };
    assert.deepEqual(await callOf(node, "get-ticket", ended, thinker), { ...ended, missed: [grant] });
    assert.deepEqual(await callOf(node, "get-ticket", ended), ended, "another caller learns nothing of it");
    const input = { paths: ["p"], ttl_seconds: 60 };
    const first = await thinker.execute("acquire-lock", input, { key: "k" });
    assert.deepEqual((first.outcome.data as JsonObject)["missed"], [grant]);
    const second = await thinker.execute("acquire-lock", input, { key: "k" });
    assert.equal((second.outcome.data as JsonObject)["missed"], undefined, "the recorded outcome does not contain it");
    assert.equal((await callOf(node, "who-am-i", {}, thinker))["missed"], undefined);
    await node.stop();
  });

  test("an agent is shown its last ten missed grants, and its end removes them [X5]", () => {
    const decider = new Decider();
    const agent = decider.register();
    const paths = Array.from({ length: lockLimits.missedMax + 2 }, (_, index) => `p/${String(index).padStart(2, "0")}`);
    miss(decider, agent, paths);
    assert.deepEqual(missedPaths(decider), paths.slice(2));
    decider.decide("end-agent", { agent_id: agent });
    assert.deepEqual(missedPaths(decider), []);
  });

  test("a missed grant of an owner that is not registered is not kept [X5]", () => {
    const decider = grantedTicket(1);
    decider.pass(minute);
    assert.deepEqual(missedPaths(decider), []);
  });

  test("a denied acquire leaves the missed grants, and a queued one removes them [X5]", () => {
    const decider = new Decider();
    const agent = decider.register();
    miss(decider, agent, ["a"]);
    decider.acquire("ann", "a");
    const input = { paths: ["a"], ttl_seconds: 600 };
    assert.equal(decider.decide("acquire-lock", input, "p", agent).code, "lock_denied");
    assert.deepEqual(missedPaths(decider), ["a"]);
    assert.deepEqual(eventLines(decider.decide("acquire-lock", { ...input, wait: true }, "p", agent).events), [
      `lock.queued ${agent}`,
      `lock.missed_shown ${agent}`,
    ]);
    assert.deepEqual(missedPaths(decider), []);
  });
});
