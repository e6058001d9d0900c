import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lockView } from "../../server/src/features/locks/views/lock-views.ts";
import { Decider, eventLines } from "./decider.ts";
import type { DecisionResult } from "./decider.ts";

const map = "project/p1/map/m1";
const file = "repo/x";

/** An agent with a parent, and a lock of each policy: `recover` and `expire`. */
function holdingAgent(): { readonly decider: Decider; readonly agent: string; readonly parent: string } {
  const decider = new Decider();
  const parent = decider.register();
  const agent = decider.register({ parent, inactivity_seconds: 10 });
  for (const path of [map, file]) decider.decide("acquire-lock", { paths: [path], wait: true }, "p", agent);
  return { decider, agent, parent };
}

type Ending = (held: ReturnType<typeof holdingAgent>) => Pick<DecisionResult, "events">;

const endingsByOthers: Readonly<Record<string, Ending>> = {
  "an operator": ({ decider, agent }) => decider.decide("end-agent", { agent_id: agent }),
  "its parent": ({ decider, agent, parent }) => decider.decide("end-agent", { agent_id: agent }, "p", parent),
  "the end of its parent": ({ decider, parent }) => decider.decide("end-agent", {}, "p", parent),
  inactivity: ({ decider }) => ({ events: decider.pass(11_000) }),
};

describe("locks of agents that others end", () => {
  for (const [author, end] of Object.entries(endingsByOthers)) {
    test(`a recoverable lock stays and excludes others after ${author} ended its agent, and an expiring one is freed [W3 W10]`, () => {
      const held = holdingAgent();
      const { decider, agent } = held;
      const fence = `1.3`;
      const { events } = end(held);
      assert.equal(eventLines(events).at(-1), `lock.kept ${agent}`);
      assert.deepEqual(decider.holders(), [`${agent}: ${map} write`]);
      assert.equal(decider.acquire("next", file).code, "done");
      assert.equal(decider.acquire("next", map, { ttlMs: 45_000 }).code, "lock_denied");
      const [holder] = lockView(decider.machine.durable, map, decider.time, 1)["holders"] as { state: string }[];
      assert.equal(holder?.state, "stale");
      const forced = decider.decide("force-release", { fence, reason: "its agent was ended" });
      assert.deepEqual(
        [forced.code, forced.data["failed"]],
        ["not_recoverable", ["lease_not_passed", "heartbeat_within_grace"]],
      );
      const lines = eventLines(decider.pass(90_000));
      assert.ok(
        lines.some((line) => line.startsWith(`lock.recovered ${agent} the lease passed`)),
        lines.join("\n"),
      );
      assert.equal(decider.acquire("next", map, { ttlMs: 45_000 }).code, "done");
    });
  }

  test("an agent that ends itself releases its recoverable and its expiring locks at once [W3 G1]", () => {
    const { decider, agent } = holdingAgent();
    const { events } = decider.decide("end-agent", {}, "p", agent);
    assert.deepEqual(eventLines(events), [
      "agent.ended requested",
      `lock.released ${agent} agent_ended`,
      `lock.released ${agent} agent_ended`,
    ]);
    assert.deepEqual(decider.holders(), []);
  });

  test("no caller can use the name of an ended agent to renew or release the lock that was kept [W3 M14]", () => {
    const { decider, agent } = holdingAgent();
    decider.decide("end-agent", { agent_id: agent });
    for (const operation of ["renew-lock", "release-lock"]) {
      const { code } = decider.decide(operation, { fence: "1.3", owner_id: agent });
      assert.equal(code, "owner_taken", operation);
    }
    assert.equal(decider.acquire(agent, "elsewhere").code, "owner_taken");
  });
});
