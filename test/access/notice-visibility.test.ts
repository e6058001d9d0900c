import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notice } from "@holdfast/sdk/contract";
import type { Allowance, Client } from "holdfast";
import { EventVisibility } from "../../server/src/access/event-visibility.ts";
import type { Lookups } from "../../server/src/access/lookups.ts";
import { rawAcquire } from "../locks/raw-acquire.ts";
import { gatedNode } from "./gated-node.ts";

const ttlMs = 600_000;

/** The paths of the next notices, as many as given. */
async function pathsSeen(client: Client, owner: string, count: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const notice of client.notices({ owner })) {
    paths.push(...notice.paths);
    if (paths.length >= count) break;
  }
  return paths.sort();
}

test("a notice is visible to its owner and to callers that may read or lock its paths, and to no other listener", async () => {
  const node = await gatedNode();
  const clientFor = async (principal: string, allow: readonly Allowance[]): Promise<Client> =>
    node.clientWith({ token: await node.tokenFor(principal, allow) });
  const owner = await clientFor("ci", [{ verbs: ["register", "lock"], under: "" }]);
  const agent = await owner.agents.register({ name: "a" });
  // The last path sorts behind the first one, so that a listener would get the hidden notice first.
  for (const path of ["hidden/1", "seen/1"]) {
    await rawAcquire(node.operator, path, { ownerId: "o", ttlMs });
    await rawAcquire(owner.as(agent), path, { wait: true, ttlMs });
  }
  const both = ["hidden/1", "seen/1"];
  for (const verbs of [["read"], ["lock"]] as const) {
    const foreign = await clientFor("other", [{ verbs: [...verbs], under: "seen" }]);
    assert.deepEqual(await pathsSeen(foreign, agent.agentId, 1), ["seen/1"]);
  }
  const sibling = await clientFor("ci", [{ verbs: ["read"], under: "elsewhere" }]);
  assert.deepEqual(await pathsSeen(sibling, agent.agentId, 2), both);
  assert.deepEqual(await pathsSeen(node.operator, agent.agentId, 2), both);
  await node.stop();
});

test("a notice without paths is visible only to its owner and to callers that may read everything", () => {
  const visibility = new EventVisibility({ principalOf: (agent) => `of ${agent}` } as Lookups);
  const isVisible = (principal: string, allow: readonly Allowance[], paths: readonly string[]): boolean => {
    const notice: Notice = { notice: "notes.pinned", owner_id: "ann", paths };
    return visibility.isNoticeVisible({ principal, allow }, notice);
  };
  assert.equal(isVisible("bob", [{ verbs: ["read"], under: "book" }], []), false);
  assert.equal(isVisible("bob", [{ verbs: ["read"], under: "" }], []), true);
  assert.equal(isVisible("bob", [{ verbs: ["read"], under: "book" }], ["book/1"]), true);
  assert.equal(isVisible("bob", [{ verbs: ["lock"], under: "book" }], ["book/1"]), false, "a pack declares its verbs");
  assert.equal(isVisible("of ann", [], []), true);
});
