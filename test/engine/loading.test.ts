import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { loopTicks } from "./manual-clock.ts";
import { singleNode } from "./staged-journal.ts";
import { type TestNode, type TestNodeOptions, startNode } from "./start-node.ts";

/** The result of a read: all notes, or the code of the refusal. */
async function notes(client: Client): Promise<string> {
  const { outcome } = await client.execute("list-entities", { type: "note" });
  return outcome.kind === "done" ? JSON.stringify(outcome.data) : outcome.code;
}

/** A node of an older build, on a journal that was rolled back and continued by rules that the node does not know. */
async function startOutdated(prepare: TestNodeOptions["prepare"] = () => undefined): Promise<TestNode> {
  const old = await startNode({
    rules: [1],
    prepare(journal) {
      // The node detects the rollback at its next append, not by a wake.
      journal.onWake = () => () => undefined;
      prepare(journal);
    },
  });
  await old.client.entities.create("note", "kept", {});
  await old.client.entities.create("note", "lost", {});
  old.disk.truncate(1);
  const modern = await startNode({ disk: old.disk, rules: [1, 2] });
  await modern.client.run("raise-rules", { to: 2 });
  await modern.client.entities.create("note", "modern", {});
  await modern.client.close();
  return old;
}

/** Holds the second `follow` of the journal, which happens in the middle of a reload. */
function holdSecondFollow({ journal }: TestNode): { readonly held: Promise<unknown>; readonly release: () => void } {
  const { promise: held, resolve: isHeld } = Promise.withResolvers<undefined>();
  const { promise: released, resolve } = Promise.withResolvers<undefined>();
  const follow = journal.follow.bind(journal);
  let count = 0;
  journal.follow = async (...args) => {
    count += 1;
    if (count === 2) {
      isHeld(undefined);
      await released;
    }
    return follow(...args);
  };
  const release = (): void => {
    resolve(undefined);
  };
  return { held, release };
}

// The timeout is part of the promise: no reader waits forever.
describe("reload of the state", { timeout: 10_000 }, () => {
  test("a node whose reload finds unknown rules refuses its waiting readers and later ones", async () => {
    const node = await startOutdated();
    const { held, release } = holdSecondFollow(node);
    const writing = refusalOf(node.client.entities.create("note", "new", {}));
    await held;
    const waiting = [notes(node.client), refusalOf(node.client.cursor()).then(({ code }) => code)];
    assert.equal(await Promise.race([...waiting, loopTicks(3).then(() => "still waiting")]), "still waiting");
    release();
    assert.equal((await writing).code, "stopping");
    assert.deepEqual(await Promise.all(waiting), ["stopping", "stopping"]);
    assert.equal(await notes(node.client), "stopping");
    assert.ok(node.reports.some((report) => /this node is stopping: .*rules 2/.test(report)));
    await node.client.close();
  });

  test("a node on a shared journal whose reload finds unknown rules also refuses readers that wait for the head", async () => {
    const node = await startOutdated((journal) => {
      const done = (): Promise<void> => Promise.resolve();
      journal.coordination = {
        ...singleNode,
        takeTurn: done,
        endTurn: done,
        findKeysInMemory: () => undefined,
        rank: () => 0,
      };
    });
    const { held, release } = holdSecondFollow(node);
    // The first reader starts the refresh. The second one arrives during it and waits for the next refresh.
    const waiting = [notes(node.client)];
    await held;
    waiting.push(notes(node.client));
    await loopTicks(1);
    release();
    assert.deepEqual(await Promise.all(waiting), ["stopping", "stopping"]);
    assert.equal(await notes(node.client), "stopping");
    await node.client.close();
  });

  test("a node that stops during a reload returns no read from the incomplete state", async () => {
    const node = await startNode();
    for (const id of ["1", "2", "3"]) await node.client.entities.create("note", id, {});
    node.disk.truncate(2);
    const { held, release } = holdSecondFollow(node);
    const writing = refusalOf(node.client.entities.create("note", "4", {}));
    await held;
    node.journal.readsFail = true;
    release();
    const waiting = notes(node.client);
    await node.client.close();
    assert.equal(await waiting, "stopping");
    assert.equal((await writing).code, "journal_unavailable");
  });
});
