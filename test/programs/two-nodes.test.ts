/** Two nodes on one journal, each with its own rows and held checks: their evidence is often stale. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { codeOf, programsNode } from "./programs-node.ts";
import type { ProgramAgent } from "./programs-node.ts";

const expected = new Set([
  ...["done", "programs.verification_failed", "programs.hash_conflict", "programs.lock_required"],
  ...["programs.too_many_conflicts", "check_contended"],
]);

test("mutations on two nodes with stale checks leave a verified program and the same state on both [G7 G9 X7]", async (t) => {
  let stale = 0;
  for (let seed = 0; seed < counts.programRaces; seed += 1) {
    const random = new Random(seed + 500);
    const disk = createMemoryDisk();
    await using first = await programsNode({ journal: openMemoryJournal(disk) });
    await using second = await programsNode({ journal: openMemoryJournal(disk) });
    const nodes = [first, second];
    const ann = await first.agent("ann");
    await ann.done("programs.create", { name: "Ledger" });
    await ann.add(
      ...["pub fn f() -> i64 { 1 }", "pub fn k() -> i64 { 1 }"],
      "pub fn g() -> i64 ensures result > 0 { f() + k() }",
    );
    await second.engine.catchUp();
    const bob = await second.agent("bob");
    const move = async (agent: ProgramAgent, id: "f1" | "f2") => {
      await agent.send("acquire-lock", { paths: [`program/ledger/function/${id}`] });
      const name = id === "f1" ? "f" : "k";
      return agent.set({ [id]: `pub fn ${name}() -> i64 { ${random.pick(["0", "1", "2", "0 - 1"])} }` });
    };
    for (let round = 0; round < 8; round += 1) {
      for (const node of nodes) if (random.chance(0.6)) node.hold.begin();
      const moves = [move(ann, "f1"), move(bob, "f2")];
      await new Promise(setImmediate);
      // One node decides while the evidence of the other waits.
      for (const node of random.chance(0.5) ? nodes : nodes.toReversed()) {
        node.hold.end();
        await new Promise(setImmediate);
      }
      for (const reply of await Promise.all(moves)) assert.ok(expected.has(codeOf(reply)), codeOf(reply));
    }
    stale += nodes.flatMap(({ rounds }) => rounds).filter((rounds) => rounds > 1).length;
    for (const node of nodes) {
      await node.engine.catchUp();
      const { outcome } = await node.client.execute("programs.verify", { program_id: "ledger" });
      assert.equal((outcome.data as { readonly valid: boolean }).valid, true, `seed ${String(seed)}`);
    }
    assert.equal(first.engine.head.hash, second.engine.head.hash);
    assert.deepEqual(await ann.hashes("f1", "f2", "f3"), await bob.hashes("f1", "f2", "f3"));
  }
  t.diagnostic(`${String(stale)} mutations were checked more than once`);
  assert.ok(stale > 0);
});
