import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallReply, Client } from "holdfast";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { Verification } from "../../server/src/engine/verify/verification.ts";
import { lockNode } from "./lock-node.ts";
import type { LockNode } from "./lock-node.ts";

type Send = () => Promise<CallReply>;

/** The requests of one owner at the path `p`, each with its own key. */
function requestsOf(client: Client, owner?: string) {
  const by = defined({ owner_id: owner });
  return {
    acquire: (key: string | undefined, more: object = {}) =>
      client.execute("acquire-lock", { paths: ["p"], ttl_seconds: 60, wait: true, ...by, ...more }, key ? { key } : {}),
    upgrade: (key: string, more: object = {}) =>
      client.execute("upgrade-lock", { path: "p", wait: true, ...by, ...more }, { key }),
    withdraw: (key: string, operation = "acquire-lock") =>
      client.execute("withdraw-request", { operation, key, ...by }),
    release: () => client.execute("release-lock", { paths: ["p"], ...by }),
  };
}

const dataOf = async (reply: Promise<CallReply>): Promise<unknown> => (await reply).outcome.data;
const codeOf = ({ outcome }: CallReply): string => (outcome.kind === "refusal" ? outcome.code : "done");
const eventsOf = ({ events }: CallReply): readonly string[] => events.map(({ name }) => name);

async function holdersOf(client: Client): Promise<readonly string[]> {
  return (await client.locks.status("p")).holders.map(({ ownerId }) => ownerId);
}

describe("withdrawn requests", () => {
  test("a withdrawn grant is released in the same entry, and the next waiter has the lock [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [requestsOf(node.client, "ann"), requestsOf(node.client, "bob")];
    await ann.acquire("k1");
    await bob.acquire("k2");
    const reply = await ann.withdraw("k1");
    assert.deepEqual(reply.outcome.data, { found: "granted", released: ["p"] });
    assert.deepEqual(eventsOf(reply), ["evt.lock.request_withdrawn", "evt.lock.released", "evt.lock.acquired"]);
    assert.deepEqual(await holdersOf(node.client), ["bob"]);
    await node.stop();
  });

  test("a withdrawn ticket leaves the queue, and the grant that it became is released [X13]", async () => {
    const node = await lockNode();
    const [ann, bob, eve] = ["ann", "bob", "eve"].map((owner) => requestsOf(node.client, owner));
    await ann?.acquire("k1");
    const { ticket } = (await dataOf(bob?.acquire("k2") as Promise<CallReply>)) as { ticket: string };
    await eve?.acquire("k3");
    assert.deepEqual(await dataOf(bob?.withdraw("k2") as Promise<CallReply>), { found: "queued", cancelled: ticket });
    await ann?.release();
    assert.deepEqual(await holdersOf(node.client), ["eve"]);
    assert.deepEqual(await dataOf(eve?.withdraw("k3") as Promise<CallReply>), { found: "granted", released: ["p"] });
    assert.deepEqual(await holdersOf(node.client), []);
    await node.stop();
  });

  test("a request that is over or was denied is found as ended, and nothing changes [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [requestsOf(node.client, "ann"), requestsOf(node.client, "bob")];
    await ann.acquire("k1");
    await ann.release();
    await ann.acquire("k2");
    assert.equal(codeOf(await bob.acquire("k3", { wait: false })), "lock_denied");
    for (const reply of [await ann.withdraw("k1"), await bob.withdraw("k3")]) {
      assert.deepEqual([reply.outcome.data, eventsOf(reply)], [{ found: "ended" }, []]);
    }
    assert.deepEqual(await holdersOf(node.client), ["ann"]);
    await node.stop();
  });

  test("a request that arrives after its withdrawal is refused, also after a restart [X13]", async () => {
    const disk = createMemoryDisk();
    const node = await lockNode({ disk });
    const ann = requestsOf(node.client, "ann");
    assert.deepEqual(await dataOf(ann.withdraw("k1")), { found: "none" });
    assert.equal(codeOf(await ann.acquire("k1")), "request_withdrawn");
    assert.equal(codeOf(await ann.acquire("k1", { paths: ["q"] })), "request_withdrawn");
    await node.stop();
    const again = await lockNode({ disk });
    assert.equal(codeOf(await requestsOf(again.client, "ann").acquire("k1")), "request_withdrawn");
    assert.equal(codeOf(await requestsOf(again.client, "ann").acquire("k2")), "done");
    await again.stop();
  });

  test("copies of a request and of its withdrawal leave nothing behind in any order and in any batch [X13]", async () => {
    const copies = ["request", "request", "withdrawal", "withdrawal"] as const;
    for (const order of permutations(copies)) {
      for (const isHeld of [false, true]) {
        for (const isOneBatch of [false, true]) {
          const node = await lockNode();
          if (isHeld) await requestsOf(node.client, "bob").acquire("k0");
          const { acquire, withdraw } = requestsOf(node.client, "ann");
          const sends = order.map((copy): Send => (copy === "request" ? () => acquire("k1") : () => withdraw("k1")));
          const replies = isOneBatch ? await Promise.all(sends.map((send) => send())) : await inTurn(sends);
          const withdrawals = replies.filter((_, index) => order[index] === "withdrawal");
          assert.deepEqual(withdrawals[0]?.outcome, withdrawals[1]?.outcome, order.join());
          assert.deepEqual(await holdersOf(node.client), isHeld ? ["bob"] : [], order.join());
          assert.deepEqual((await node.client.locks.waits()).items, [], order.join());
          assert.equal(codeOf(await acquire("k1")), "request_withdrawn", order.join());
          assert.deepEqual(await firstBad(node), undefined, order.join());
          await node.stop();
        }
      }
    }
  });

  test("a grant that another request of the owner shares stays until the last request is withdrawn [X13]", async () => {
    const node = await lockNode();
    const ann = requestsOf(node.client, "ann");
    await ann.acquire("k1");
    await ann.acquire("k2");
    assert.deepEqual(await dataOf(ann.withdraw("k1")), { found: "granted", released: [] });
    assert.deepEqual(await holdersOf(node.client), ["ann"]);
    assert.deepEqual(await dataOf(ann.withdraw("k2")), { found: "granted", released: ["p"] });
    assert.deepEqual(await holdersOf(node.client), []);
    await node.stop();
  });

  test("a ticket that another request of the owner shares keeps its place until the last request is withdrawn [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [requestsOf(node.client, "ann"), requestsOf(node.client, "bob")];
    await ann.acquire("k0");
    const { ticket } = (await dataOf(bob.acquire("k1"))) as { ticket: string };
    await bob.acquire("k2");
    assert.deepEqual(await dataOf(bob.withdraw("k1")), { found: "queued" });
    assert.deepEqual(await dataOf(bob.withdraw("k2")), { found: "queued", cancelled: ticket });
    await node.stop();
  });

  test("a grant that a request without a key shares is not released by a withdrawal [X13]", async () => {
    const node = await lockNode();
    for (const order of [
      [undefined, "k1"],
      ["k2", undefined],
    ]) {
      const ann = requestsOf(node.client, "ann");
      for (const key of order) await ann.acquire(key);
      const key = order.find((each) => each !== undefined) ?? "";
      assert.deepEqual(await dataOf(ann.withdraw(key)), { found: "granted", released: [] });
      assert.deepEqual(await holdersOf(node.client), ["ann"]);
      await ann.release();
    }
    await node.stop();
  });

  test("a withdrawn upgrade leaves the queue and keeps the lock, and a granted one keeps the stronger lock [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [requestsOf(node.client, "ann"), requestsOf(node.client, "bob")];
    await ann.acquire("k1", { mode: "read" });
    await bob.acquire("k2", { mode: "read" });
    const { ticket } = (await dataOf(ann.upgrade("k3"))) as { ticket: string };
    assert.deepEqual(await dataOf(ann.withdraw("k3")), { found: "none" }, "the operation is part of a request");
    assert.deepEqual(await dataOf(ann.withdraw("k3", "upgrade-lock")), { found: "queued", cancelled: ticket });
    await bob.release();
    assert.equal(codeOf(await ann.upgrade("k3")), "request_withdrawn");
    assert.equal(codeOf(await ann.upgrade("k4")), "done");
    assert.deepEqual(await dataOf(ann.withdraw("k4", "upgrade-lock")), { found: "granted", released: [] });
    assert.deepEqual(await dataOf(ann.withdraw("k1")), { found: "granted", released: ["p"] });
    await node.stop();
  });

  test("a lock whose only request is withdrawn stays for the request that waits to upgrade it [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [requestsOf(node.client, "ann"), requestsOf(node.client, "bob")];
    for (const isUpgraded of [true, false]) {
      const [base, stronger] = [`base ${isUpgraded}`, `stronger ${isUpgraded}`];
      await ann.acquire(base, { mode: "read" });
      await bob.acquire(`other ${isUpgraded}`, { mode: "read" });
      await ann.acquire(stronger);
      assert.deepEqual(await dataOf(ann.withdraw(base)), { found: "granted", released: [] });
      assert.deepEqual(await holdersOf(node.client), ["ann", "bob"]);
      if (isUpgraded) await bob.release();
      assert.deepEqual(await dataOf(ann.withdraw(stronger)), { found: "granted", released: ["p"] });
      assert.deepEqual(await holdersOf(node.client), isUpgraded ? [] : ["bob"]);
      assert.deepEqual((await node.client.locks.waits()).items, []);
    }
    assert.deepEqual(await firstBad(node), undefined);
    await node.stop();
  });

  test("a lock that was transferred belongs to no request of its first owner [X13]", async () => {
    const node = await lockNode();
    const ann = requestsOf(node.client, "ann");
    await ann.acquire("k1");
    await node.client.execute("transfer-lock", { path: "p", to: "bob", owner_id: "ann" });
    assert.deepEqual(await dataOf(ann.withdraw("k1")), { found: "ended" });
    assert.deepEqual(await holdersOf(node.client), ["bob"]);
    await node.stop();
  });

  test("only the agent that sent a request can withdraw it, and a refused withdrawal does not use up its key [X13]", async () => {
    const node = await lockNode();
    const [ann, bob] = [await node.agent("ann"), await node.agent("bob")];
    await requestsOf(ann).acquire("k1");
    const refused = await requestsOf(bob).withdraw("k1");
    assert.deepEqual([codeOf(refused), refused.outcome.data], ["owner_taken", { owner_id: ann.id }]);
    assert.deepEqual(await dataOf(requestsOf(ann).withdraw("k1")), { found: "granted", released: ["p"] });
    await node.stop();
  });

  test("a lock keeps its last requests, and an older one that shares it cannot be withdrawn [X13 X15]", async () => {
    const node = await lockNode();
    const ann = requestsOf(node.client, "ann");
    for (let count = 0; count < 40; count += 1) await ann.acquire(`k${count}`);
    assert.deepEqual(await dataOf(ann.withdraw("k0")), { found: "ended" });
    for (let count = 9; count < 40; count += 1) {
      assert.deepEqual(await dataOf(ann.withdraw(`k${count}`)), { found: "granted", released: [] });
    }
    assert.deepEqual(await holdersOf(node.client), ["ann"]);
    await node.stop();
  });
});

/** The first entry that is decided differently when the journal is verified. */
async function firstBad(node: LockNode): Promise<unknown> {
  const entries = await node.engine.entriesAfter(0, { entries: 1_000, bytes: 1e9 });
  const salts = entries.map(() => "salt");
  const { head, lines } = seal(entries, genesis, salts);
  const verification = new Verification(verificationOf([]));
  const { time, hash } = head;
  verification.take({ first: 1, count: entries.length, time, previous: genesis.hash, hash, lines });
  return verification.finish().firstBad;
}

async function inTurn(sends: readonly Send[]): Promise<readonly CallReply[]> {
  const replies: CallReply[] = [];
  for (const send of sends) replies.push(await send());
  return replies;
}

/** The different orders of these values. */
function permutations<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  if (values.length === 0) return [[]];
  const firsts = values.filter((value, index) => values.indexOf(value) === index);
  return firsts.flatMap((first) => {
    const rest = values.toSpliced(values.indexOf(first), 1);
    return permutations(rest).map((others) => [first, ...others]);
  });
}
