import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import { CopiesRemainError } from "../../server/src/engine/payload-copies.ts";
import { noErasureMark } from "../../server/src/journal/erasure-mark.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { loopTicks } from "./manual-clock.ts";
import type { StagedJournal } from "./staged-journal.ts";
import { type TestNode, startNode } from "./start-node.ts";

/** Makes every erasure fail after its request is durable, as if the node were killed there. */
function failErasures(journal: StagedJournal): void {
  journal.erase = () => Promise.reject(new JournalError("io", "staged: io", { certain: true }));
}

/** Counts the calls to the journal during a start. */
function countCalls(journal: StagedJournal): { read: number; erased: number } {
  const calls = { read: 0, erased: 0 };
  const { readAt, erase } = journal;
  journal.readAt = (positions) => {
    calls.read += positions.length;
    return readAt(positions);
  };
  journal.erase = (position, by) => {
    calls.erased += 1;
    return erase(position, by);
  };
  return calls;
}

const secret = "a secret name";

async function writeSecrets({ entities }: Client, count: number): Promise<readonly number[]> {
  const ids = Array.from({ length: count }, (_, index) => String(index));
  const created = await Promise.all(ids.map((id) => entities.create("person", id, { name: secret })));
  await Promise.all(ids.map((id) => entities.replace("person", id, {})));
  return created.map(({ position }) => position);
}

const erase = (client: Client, position: number): Promise<unknown> =>
  client.run("erase-payload", { position, reason: "asked for" });

async function erasedIn({ journal }: TestNode, positions: readonly number[]): Promise<number> {
  return (await journal.readAt(positions)).filter(({ erased }) => erased !== undefined).length;
}

describe("erasures", () => {
  test("a start executes all erasures that a kill interrupted, and the next start checks none [X1]", async () => {
    const first = await startNode({ prepare: failErasures });
    const positions = await writeSecrets(first.client, 40);
    for (const result of await Promise.allSettled(positions.map((position) => erase(first.client, position)))) {
      assert.equal(result.status, "rejected", "a failed erasure is not reported as done");
    }
    assert.equal(await erasedIn(first, positions), 0);
    await first.client.close();
    const second = await startNode({ disk: first.disk });
    assert.deepEqual([await erasedIn(second, positions), second.reports], [40, []]);
    await second.client.close();
    let calls: { read: number; erased: number } | undefined;
    const third = await startNode({
      disk: first.disk,
      prepare: (journal) => {
        calls = countCalls(journal);
      },
    });
    assert.deepEqual(calls, { read: 0, erased: 0 });
    await third.client.close();
  });

  test("a start on a journal without an erasure mark checks each erasure once [X1]", async () => {
    const first = await startNode({ prepare: failErasures });
    const positions = await writeSecrets(first.client, 20);
    await Promise.allSettled(positions.map((position) => erase(first.client, position)));
    await first.journal.setErasureMark(noErasureMark);
    await first.client.close();
    const second = await startNode({ disk: first.disk });
    assert.equal(await erasedIn(second, positions), 20);
    assert.deepEqual(await second.journal.erasureMark(), { to: second.engine.head.position, left: [] });
    await second.client.close();
  });

  test("a failed erasure is refused to its caller until it succeeds, and blocks no other erasure", async () => {
    const node = await startNode();
    const [one = 0, other = 0] = await writeSecrets(node.client, 2);
    const { erase: originalErase } = node.journal;
    node.journal.erase = (position, by) =>
      position === one
        ? Promise.reject(new JournalError("io", "staged: io", { certain: true }))
        : originalErase(position, by);
    const [failed, done] = await Promise.allSettled([erase(node.client, one), erase(node.client, other)]);
    assert.deepEqual([failed.status, done.status], ["rejected", "fulfilled"]);
    assert.equal(await erasedIn(node, [one, other]), 1);
    await assert.rejects(erase(node.client, one), refusedWith("erasure_unfinished"));
    assert.deepEqual(node.reports, [], "the caller got the error, so the operator gets no report");
    node.journal.erase = originalErase;
    await erase(node.client, one);
    assert.equal(await erasedIn(node, [one, other]), 2);
    assert.deepEqual((await node.journal.erasureMark()).left, []);
    await node.client.close();
  });

  test("an erasure that only a lost history requested is never executed in the history that replaced it", async () => {
    const first = await startNode({ prepare: failErasures });
    await first.client.entities.create("person", "1", { name: "kept" });
    const [position = 0] = await writeSecrets(first.client, 1);
    await assert.rejects(erase(first.client, position), refusedWith("erasure_unfinished"));
    const mark = await first.journal.erasureMark();
    assert.equal(mark.left.length, 1);
    await first.client.close();
    first.disk.truncate(1);
    // Worse than the real case: the store that was rolled back keeps the mark of the lost history.
    const second = await startNode({ disk: first.disk });
    assert.equal(
      (await second.client.entities.create("person", "2", { name: "of the new history" })).position,
      position,
    );
    await second.journal.setErasureMark(mark);
    await second.client.close();
    const third = await startNode({ disk: first.disk });
    assert.equal(await erasedIn(third, [position]), 0);
    assert.deepEqual((await third.journal.erasureMark()).left, []);
    await third.client.close();
  });
});

describe("copies of payloads outside the journal", () => {
  test("an erasure is unfinished until the copies are removed, also for processes without access to them [X1 X14]", async () => {
    const first = await startNode();
    const removed: number[] = [];
    let isReachable = true;
    const copies = {
      remove: (erasures: readonly { readonly position: number }[]): Promise<void> => {
        if (!isReachable) return Promise.reject(new CopiesRemainError("staged: not reachable"));
        removed.push(...erasures.map(({ position }) => position));
        return Promise.resolve();
      },
    };
    const end = await first.engine.addCopies(copies);
    const [one = 0, two = 0, three = 0] = await writeSecrets(first.client, 3);
    await erase(first.client, one);
    assert.deepEqual(removed, [one]);
    isReachable = false;
    const refused = await refusalOf(erase(first.client, two));
    assert.deepEqual([refused.code, refused.data["remains"]], ["erasure_unfinished", "event_stream"]);
    assert.match(String(refused.data["reason"]), /staged: not reachable/u);
    end();
    // A process without access, such as `holdfast erase` on a stopped server.
    await assert.rejects(erase(first.client, three), refusedWith("erasure_unfinished"));
    await first.client.close();
    const second = await startNode({ disk: first.disk });
    await assert.rejects(erase(second.client, two), refusedWith("erasure_unfinished"));
    assert.deepEqual(second.reports, [], "the callers got the error");
    isReachable = true;
    await second.engine.addCopies(copies);
    await second.engine.resumeErasures(() => []);
    assert.deepEqual(removed.toSorted(), [one, two, three]);
    await erase(second.client, two);
    assert.deepEqual((await second.journal.erasureMark()).left, []);
    await second.client.close();
  });
});

describe("payloads with a durable erasure", () => {
  /** All data about the entry at position 1 that a client can read. */
  async function shown({ client, engine }: TestNode): Promise<string> {
    const listed = await client.run("list-journal", {});
    const history = await client.entities.history("person", "1");
    const subscription = engine.subscribe(0);
    const { value: page } = (await subscription.next()) as IteratorYieldResult<unknown>;
    await subscription.return();
    return JSON.stringify([listed, history, page]);
  }

  const input = { type: "person", id: "1", value: { name: secret } };

  for (const isHeld of [false, true]) {
    const when = isHeld ? "while the store still holds it" : "once the store has removed it";
    test(`no node returns an erased payload, by a read or by its key, ${when} [X1]`, async () => {
      const a = await startNode();
      const b = await startNode({ disk: a.disk });
      await a.client.run("create-entity", input, { key: "k" });
      await a.client.entities.replace("person", "1", { name: "public" });
      await loopTicks(3);
      assert.match(await shown(b), new RegExp(secret), "the payload is in the memory of the other node");
      if (isHeld) failErasures(a.journal);
      const erasing = erase(a.client, 1);
      if (isHeld) await assert.rejects(erasing, refusedWith("erasure_unfinished"));
      else await erasing;
      await loopTicks(3);
      const c = await startNode({ disk: a.disk, prepare: isHeld ? failErasures : () => undefined });
      for (const node of [a, b, c]) {
        assert.doesNotMatch(await shown(node), new RegExp(secret));
        const again = await refusalOf(node.client.run("create-entity", input, { key: "k" }));
        assert.deepEqual([again.code, again.data["erased_by"]], ["entry_erased", 3]);
        assert.equal((await refusalOf(node.client.entities.get("person", "1", { version: 1 }))).code, "entry_erased");
      }
      await Promise.all([a, b, c].map(({ client }) => client.close()));
    });
  }
});
