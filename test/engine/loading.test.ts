import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { turns } from "./manual-clock.ts";
import { alone } from "./staged-journal.ts";
import { type Node, type NodeOptions, startNode } from "./start-node.ts";

/** What a reader gets: all ids, or why not. */
async function notes(client: Client): Promise<string> {
  const { outcome } = await client.execute("list-entities", { type: "note" });
  return outcome.kind === "done" ? JSON.stringify(outcome.data) : outcome.code;
}

/** A node of an older build, on a journal that went back and was continued by rules that it does not know. */
async function startOutdated(prepare: NodeOptions["prepare"] = () => undefined): Promise<Node> {
  const old = await startNode({
    rules: [1],
    prepare(journal) {
      // It finds out by itself, when the test wants it to.
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

/** The journal answers nothing more from the second time on that it is followed: in the middle of folding again. */
function holdSecondFollow({ journal }: Node): { readonly held: Promise<unknown>; readonly release: () => void } {
  const { promise: held, resolve: isHeld } = Promise.withResolvers<undefined>();
  const { promise: released, resolve } = Promise.withResolvers<undefined>();
  const follow = journal.follow.bind(journal);
  let count = 0;
  journal.follow = async (...asked) => {
    count += 1;
    if (count === 2) {
      isHeld(undefined);
      await released;
    }
    return follow(...asked);
  };
  const release = (): void => {
    resolve(undefined);
  };
  return { held, release };
}

// What is promised here is that nothing waits for ever.
describe("a node that folds its state again", { timeout: 10_000 }, () => {
  test("and meets what it does not understand refuses its readers, those that wait and those that come", async () => {
    const node = await startOutdated();
    const { held, release } = holdSecondFollow(node);
    const writing = refusalOf(node.client.entities.create("note", "new", {}));
    await held;
    const waiting = [notes(node.client), refusalOf(node.client.cursor()).then(({ code }) => code)];
    assert.equal(await Promise.race([...waiting, turns(3).then(() => "still waiting")]), "still waiting");
    release();
    assert.equal((await writing).code, "stopping");
    assert.deepEqual(await Promise.all(waiting), ["stopping", "stopping"]);
    assert.equal(await notes(node.client), "stopping");
    assert.ok(node.reports.some((report) => /this node is stopping: .*rules 2/.test(report)));
    await node.client.close();
  });

  test("and shares its journal refuses also those who wait for the latest", async () => {
    const node = await startOutdated((journal) => {
      const done = (): Promise<void> => Promise.resolve();
      journal.coordination = {
        ...alone,
        takeTurn: done,
        endTurn: done,
        findKeysInMemory: () => undefined,
        rank: () => 0,
      };
    });
    const { held, release } = holdSecondFollow(node);
    // The first begins the look; the second comes too late for it, and waits for the next.
    const waiting = [notes(node.client)];
    await held;
    waiting.push(notes(node.client));
    await turns(1);
    release();
    assert.deepEqual(await Promise.all(waiting), ["stopping", "stopping"]);
    assert.equal(await notes(node.client), "stopping");
    await node.client.close();
  });

  test("and is stopped before it is done answers nothing from a state that is not whole", async () => {
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
