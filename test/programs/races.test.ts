/** Races of mutations: the program stays verified in every order of checks and decisions. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { allChecks } from "../../server/src/app/app-services.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { checkLimits } from "../../server/src/checks/check-limits.ts";
import { openRecheck } from "../../server/src/checks/recheck.ts";
import { Verification } from "../../server/src/engine/verify/verification.ts";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { codeOf, ledger } from "./programs-node.ts";
import type { ProgramsNode } from "./programs-node.ts";

const skewed = [
  "pub fn f() -> i64 { 1 }",
  "pub fn k() -> i64 { 1 }",
  "pub fn g() -> i64 ensures result > 0 { f() + k() }",
] as const;

async function isVerified(node: ProgramsNode): Promise<boolean> {
  const { outcome } = await node.client.execute("programs.verify", { program_id: "ledger" });
  return (outcome.data as { readonly valid: boolean }).valid;
}

async function deepVerification(entries: readonly Entry[]) {
  const salts = entries.map(() => "salt");
  const { head, lines } = seal(entries, genesis, salts);
  const makeEvidence = await openRecheck(allChecks([]));
  const verification = new Verification({ ...verificationOf([]), makeEvidence });
  const { time, hash } = head;
  verification.take({ first: 1, count: entries.length, time, previous: genesis.hash, hash, lines });
  return verification.finish();
}

/** Evidence whose first written function has other members. */
const forgedWrite =
  (members: JsonObject) =>
  (evidence: JsonObject): JsonObject => {
    const [write = {}, ...others] = evidence["writes"] as JsonObject[];
    return { ...evidence, writes: [{ ...write, ...members }, ...others] };
  };

const entriesOf = (node: ProgramsNode) => node.engine.entriesAfter(0, { entries: 10_000, bytes: 1e9 });

describe("races of mutations", () => {
  test("exactly one of two changes that together break a caller is accepted, in every order of results [G9]", async () => {
    for (let seed = 0; seed < counts.programSkews; seed += 1) {
      const random = new Random(seed);
      const { node, ann } = await ledger(skewed);
      await using _ = node;
      const bob = await node.agent("bob");
      await ann.lock(["f1"]);
      await bob.lock(["f2"]);
      if (random.chance(0.7)) node.hold.begin();
      const both = [ann.set({ f1: "pub fn f() -> i64 { 0 - 0 }" }), bob.set({ f2: "pub fn k() -> i64 { 0 * 1 }" })];
      await new Promise(setImmediate);
      node.hold.end();
      const codes = (await Promise.all(both)).map(codeOf).sort();
      assert.deepEqual(codes, ["done", "programs.verification_failed"], `seed ${String(seed)}`);
      assert.ok(await isVerified(node), `seed ${String(seed)}`);
    }
  });

  test("a caller that is added while a signature is checked is found, and the check runs again [G7 G9]", async () => {
    const { node, ann } = await ledger(["pub fn leaf(x: i64) -> i64 { x }", "pub fn other() -> i64 { 1 }"]);
    await using _ = node;
    const bob = await node.agent("bob");
    const fence = await bob.lock(["f1"], "read");
    await bob.lock(["f2"]);
    node.hold.begin();
    const called = bob.set({ f2: "pub fn other() -> i64 { leaf(1) }" });
    await node.hold.arrival();
    // The node of another agent releases the lock by force while the check runs.
    await node.client.run("force-release", { fence, reason: "the agent hangs" });
    await ann.lock(["f1"]);
    const changed = ann.set({ f1: "pub fn leaf(x: i64, y: i64) -> i64 { x + y }" });
    node.hold.end();
    assert.deepEqual([codeOf(await called), codeOf(await changed)].sort(), ["done", "programs.lock_required"]);
    assert.ok(await isVerified(node));
  });

  test("agents on different functions never conflict, and each needs one round [G6 G9]", async () => {
    const names = ["a", "b", "c", "d", "e", "g", "h", "i"];
    const { node, ann } = await ledger(names.map((name) => `pub fn ${name}(x: i64) -> i64 ensures result == x { x }`));
    await using _ = node;
    const agents = await Promise.all(names.map((name) => node.agent(name)));
    await Promise.all(agents.map((agent, index) => agent.lock([`f${String(index + 1)}`])));
    node.rounds.splice(0);
    const replies = await Promise.all(
      agents.map((agent, index) => {
        const text = `pub fn ${names[index] ?? ""}(x: i64) -> i64 ensures result == x { x + 0 }`;
        return agent.set({ [`f${String(index + 1)}`]: text });
      }),
    );
    assert.deepEqual(new Set(replies.map(codeOf)), new Set(["done"]));
    assert.deepEqual(new Set(node.rounds), new Set([1]));
    assert.equal((await ann.done("programs.get"))["version"], 10);
  });

  test("a failing verdict on outdated data refuses nothing, and the check runs again [G9]", async () => {
    const { node, ann } = await ledger(skewed);
    await using _ = node;
    const bob = await node.agent("bob");
    await ann.lock(["f1"]);
    await bob.lock(["f2"]);
    assert.equal(codeOf(await bob.set({ f2: "pub fn k() -> i64 { 0 }" })), "done");
    node.hold.begin();
    const failing = ann.set({ f1: "pub fn f() -> i64 { 0 }" });
    await node.hold.arrival();
    const repairing = bob.set({ f2: "pub fn k() -> i64 { 5 }" });
    await node.hold.arrival(2);
    node.hold.passNewest();
    assert.equal(codeOf(await repairing), "done");
    node.hold.end();
    assert.equal(codeOf(await failing), "done", "together with the newer callee the change is valid");
    assert.ok(await isVerified(node));
  });

  test("a failing verdict of the last round refuses the mutation after seven stale rounds [G9]", async () => {
    const { node, ann } = await ledger(skewed);
    await using _ = node;
    const bob = await node.agent("bob");
    await ann.lock(["f1"]);
    await bob.lock(["f2"]);
    assert.equal(codeOf(await bob.set({ f2: "pub fn k() -> i64 { 0 }" })), "done");
    node.rounds.splice(0);
    node.hold.begin();
    const failing = ann.set({ f1: "pub fn f() -> i64 { 0 }" });
    for (let round = 1; round < checkLimits.roundsMax; round += 1) {
      await node.hold.arrival();
      const other = bob.set({ f2: `pub fn k() -> i64 { 0 * ${String(round)} }` });
      await node.hold.arrival(2);
      node.hold.passNewest();
      assert.equal(codeOf(await other), "done");
      node.hold.pass();
    }
    await node.hold.arrival();
    node.hold.end();
    assert.equal(codeOf(await failing), "programs.verification_failed");
    assert.equal(node.rounds.at(-1), checkLimits.roundsMax);
    assert.equal(await ann.text("f1"), "pub fn f() -> i64 {\n  1\n}\n");
    assert.ok(await isVerified(node));
  });

  test("verify and export show what was decided, at its position, while a mutation waits for its decision [G10]", async () => {
    const { node, ann } = await ledger(skewed);
    await using _ = node;
    await ann.lock(["f1"]);
    const { revision, position } = await ann.done("programs.get");
    node.hold.begin();
    const setting = ann.set({ f1: "pub fn f() -> i64 { 7 }" });
    await node.hold.arrival();
    const exporting = ann.done("programs.export");
    await node.hold.arrival(2);
    node.hold.passNewest();
    const { text } = await exporting;
    assert.doesNotMatch(text as string, /7/u);
    const verifying = ann.done("programs.verify");
    await node.hold.arrival(2);
    node.hold.passNewest();
    const verified = await verifying;
    assert.deepEqual([verified["revision"], verified["position"]], [revision, position]);
    node.hold.end();
    assert.equal(codeOf(await setting), "done");
    assert.match((await ann.done("programs.export"))["text"] as string, /7/u);
  });

  test("one of two agents that add the same name at the same time is accepted, and the other gets name.duplicate [G8]", async () => {
    const { node, ann } = await ledger([]);
    await using _ = node;
    const bob = await node.agent("bob");
    const add = { type: "add_function", text: "pub fn same() -> i64 { 1 }" };
    const replies = await Promise.all([ann.mutate([add]), bob.mutate([add])]);
    assert.deepEqual(replies.map(codeOf).sort(), ["done", "programs.verification_failed"]);
    assert.ok(await isVerified(node));
  });

  test("every interleaving of two agents ends verified, and every entry verifies deeply [G7 G8 G9 G10]", async () => {
    for (let seed = 0; seed < counts.programRaces; seed += 1) {
      const random = new Random(seed + 77);
      const { node, ann } = await ledger([...skewed]);
      await using _ = node;
      const bob = await node.agent("bob");
      for (let round = 0; round < 6; round += 1) {
        if (random.chance(0.5)) node.hold.begin();
        const moves = [ann, bob].map(async (agent) => {
          const id = random.pick(["f1", "f2", "f3"]);
          const name = { f1: "f", f2: "k", f3: "g" }[id] ?? "";
          const value = random.pick(["0", "1", "2", "0 - 1"]);
          const body = id === "f3" ? `f() + k() + ${value}` : value;
          const promise = id === "f3" ? "ensures result > 0 " : "";
          await agent.send("acquire-lock", { paths: [`program/ledger/function/${id}`] });
          const undo = await agent.send("programs.get-undo");
          const { undo: top } = undo.outcome.data as { undo: { mutation: number; items: JsonObject[] } | null };
          if (top?.items.length === 1 && random.chance(0.2)) {
            const hashes = Object.fromEntries(
              top.items.map(({ item, current_hash: hash }) => [(item as string).split("/")[1] ?? "", hash ?? ""]),
            );
            return agent.send("programs.undo", { mutation: top.mutation, expected_hashes: hashes, release: true });
          }
          if (random.chance(0.2))
            return agent.mutate([
              { type: "add_function", text: `pub fn x${String(random.below(3))}() -> i64 { f() }` },
            ]);
          return agent.set({ [id]: `pub fn ${name}() -> i64 ${promise}{ ${body} }` }, { release: random.chance(0.7) });
        });
        await new Promise(setImmediate);
        node.hold.end();
        await Promise.all(moves);
      }
      assert.ok(await isVerified(node), `seed ${String(seed)}`);
      const { ok, firstBad, rechecked } = await deepVerification(await entriesOf(node));
      assert.ok(ok && rechecked > 0, `seed ${String(seed)}: ${JSON.stringify(firstBad)}`);
    }
  });

  test("verify --deep finds a forged verdict, a forged body and a forged hash [G9 X1]", async () => {
    const { node, ann } = await ledger([...skewed]);
    await using _ = node;
    await ann.lock(["f1"]);
    await ann.set({ f1: "pub fn f() -> i64 { 2 }" });
    const entries = await entriesOf(node);
    assert.equal((await deepVerification(entries)).ok, true);
    const forge = (change: (evidence: JsonObject) => JsonObject): readonly Entry[] =>
      entries.map((entry, index) =>
        index === entries.length - 1 ? { ...entry, evidence: change(entry.evidence as JsonObject) } : entry,
      );
    for (const change of [
      (evidence: JsonObject) => ({ ...evidence, verdict: { ...(evidence["verdict"] as JsonObject), cases: 999 } }),
      (evidence: JsonObject) => ({ ...evidence, reads: {} }),
      (evidence: JsonObject) => ({ ...evidence, users: {} }),
      forgedWrite({ body: [0, 1, '[1,"const","int","3"]'] }),
      forgedWrite({ members: { hash: "0".repeat(64) } }),
    ]) {
      const { ok } = await deepVerification(forge(change));
      assert.equal(ok, false);
    }
  });

  test("a real thread checks mutations, and without it nothing is decided or recorded [G9]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"], { where: "thread" });
    await using _ = node;
    await ann.lock(["f1"]);
    const { position } = node.engine.head;
    await node.services.checks.close();
    assert.equal(codeOf(await ann.set({ f1: "pub fn one() -> i64 { 2 }" })), "check_unavailable");
    assert.equal(node.engine.head.position, position, "nothing was recorded");
    assert.equal(await ann.text("f1"), "pub fn one() -> i64 {\n  1\n}\n", "reads need no thread");
  });

  test("a mutation whose thread dies during its check is not decided, and the next one starts a new thread [G9]", async () => {
    const { node, ann } = await ledger(
      ["pub fn one() -> i64 { 1 }", "pub fn slow() -> i64 { var i: i64 = 0; while i < 100 { i = i + 1; } i }"],
      { where: "thread" },
    );
    await using _ = node;
    await ann.lock(["f1"]);
    const { position } = node.engine.head;
    node.hold.begin();
    const lost = ann.set({ f1: "pub fn one() -> i64 { 2 }" });
    await node.hold.arrival();
    node.hold.breakThread(new Error("out of memory"));
    assert.equal(codeOf(await lost), "check_unavailable");
    // The verdict of the dead thread arrives late, and decides nothing.
    node.hold.end();
    assert.equal(node.engine.head.position, position, "nothing was recorded");
    assert.equal(codeOf(await ann.set({ f1: "pub fn one() -> i64 { 2 }" })), "done");
    assert.equal(node.services.checks.status().restarts, 1);
  });

  test("a keyed retry gives the same answer and one mutation [X2 G7]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    await ann.lock(["f1"]);
    const input = {
      mutations: [{ type: "set_function", function_id: "f1", text: "pub fn one() -> i64 { 2 }" }],
      expected_hashes: await ann.hashes("f1"),
    };
    const replies = await Promise.all([1, 2, 3].map(() => ann.send("programs.mutate", input, "k1")));
    assert.deepEqual(new Set(replies.map(({ outcome }) => JSON.stringify(outcome))).size, 1);
    assert.equal((await ann.done("programs.get"))["version"], 3);
  });
});
