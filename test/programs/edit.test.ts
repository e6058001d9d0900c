import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client, ProgramConflict, ProgramDiagnostic } from "holdfast";
import { isProgramsVerificationFailed } from "@holdfast/sdk/programs-guards";
import { onEveryTransport } from "../client/every-transport.ts";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { programsNode } from "./programs-node.ts";

const clamp = `pub fn clamp(x: i64, low: i64, high: i64) -> i64
  requires low <= high
  ensures result >= low and result <= high
{
  if x < low { low } else if x > high { high } else { x }
}
`;
const double = "pub fn double(x: i64) -> i64 { x +% x }";

/** A program with `clamp` as f1 and `double` as f2. */
async function ledgerOf({ programs }: Client): Promise<void> {
  await programs.create({ programId: "ledger", name: "Ledger" });
  const made = await programs.edit("ledger", { purpose: "start" }, () => [
    { type: "add_function", text: clamp },
    { type: "add_function", text: double },
  ]);
  assert.deepEqual(
    made.functions.map(({ functionId }) => functionId),
    ["f1", "f2"],
  );
}

/** A test with the check on its own thread: a real thread takes longer to start than the test. */
function inProcess(check: (client: Client) => Promise<void>): () => Promise<void> {
  return async () => {
    await using node = await programsNode();
    await check(node.client);
  };
}

describe("edits of programs through the client", () => {
  onEveryTransport("an edit locks, reads, changes by text and releases [G2 G6 G7]", async (client) => {
    const { programs, locks } = client;
    await ledgerOf(client);
    const { functions, verdict } = await programs.edit(
      "ledger",
      { write: ["f1"], read: ["f2"], purpose: "round half up" },
      async ({ f1, f2 }, { attempt }) => {
        const { holders } = await locks.status("program/ledger/function/f1");
        assert.deepEqual([holders[0]?.purpose, holders[0]?.mode, attempt], ["round half up", "write", 1]);
        assert.match(f2.text, /double/u);
        return { f1: f1.text.replace("x < low", "x <= low") };
      },
    );
    assert.deepEqual([functions[0]?.change, functions[0]?.version], ["changed", 2]);
    assert.ok(verdict.cases >= 24);
    assert.deepEqual((await locks.status("program/ledger/function/f1")).holders, []);
    const [newest] = (await programs.listMutations("ledger", { limit: 1 })).items;
    assert.equal(newest?.description, "round half up");
    assert.equal((await programs.verify("ledger")).valid, true);
    assert.match((await programs.getGrammar()).text, /requires/u);
  });

  test(
    "an edit hands the difference of a conflict to its next attempt [G6]",
    inProcess(async (client) => {
      const { programs } = client;
      await ledgerOf(client);
      const seen: (readonly ProgramConflict[])[] = [];
      const edited = await programs.edit("ledger", { write: ["f2"] }, async ({ f2 }, { conflicts, attempt }) => {
        seen.push(conflicts);
        if (attempt === 1) {
          // The same agent changes the function elsewhere, so the lock does not exclude it.
          const mutations = [
            { type: "set_function", functionId: "f2", text: f2.text.replace("x +% x", "2 *% x") },
          ] as const;
          await programs.mutate("ledger", { mutations, expectedHashes: { f2: f2.hash } });
        }
        return { f2: f2.text.replace("pub fn", "/// Twice x.\npub fn") };
      });
      assert.equal(seen[0]?.length, 0);
      const [conflict] = seen[1] ?? [];
      assert.deepEqual([conflict?.functionId, conflict?.versionsBetween], ["f2", 1]);
      assert.match(conflict?.textDiff ?? "", /\+.*2 \*% x/u);
      assert.ok((conflict?.changes?.addedNodes.length ?? 0) > 0);
      const { text } = await programs.getFunction("ledger", { functionId: "f2" });
      assert.match(text ?? "", /\/\/\/ Twice x\.[\s\S]*2 \*% x/u, "both changes are there");
      assert.equal(edited.functions[0]?.version, 3);
    }),
  );

  test(
    "an edit ends with the last conflict after its attempts [G6]",
    inProcess(async (client) => {
      const { programs } = client;
      await ledgerOf(client);
      let calls = 0;
      const edit = programs.edit("ledger", { write: ["f2"], tries: 2 }, async ({ f2 }) => {
        calls += 1;
        const text = `/// Change ${calls}.\n${double}`;
        const mutations = [{ type: "set_function", functionId: "f2", text }] as const;
        await programs.mutate("ledger", { mutations, expectedHashes: { f2: f2.hash } });
        return { f2: f2.text };
      });
      await assert.rejects(edit, refusedWith("programs.hash_conflict"));
      assert.equal(calls, 2);
      assert.deepEqual((await client.locks.status("program/ledger/function/f2")).holders, []);
    }),
  );

  test(
    "an edit acquires the read locks that its new calls need [G7]",
    inProcess(async (client) => {
      const { programs } = client;
      await ledgerOf(client);
      const calls: (readonly string[])[] = [];
      const edited = await programs.edit("ledger", { write: ["f1"] }, (functions) => {
        calls.push(Object.keys(functions));
        return { f1: functions.f1.text.replace("{ high }", "{ clamp(double(high), high, high) }") };
      });
      assert.deepEqual(calls, [["f1"], ["f1", "f2"]]);
      assert.equal(edited.functions.length, 1);
      assert.deepEqual((await client.locks.list({ under: "program/ledger" })).items, []);
    }),
  );

  test(
    "an edit whose lock was forced acquires it again and reads again [G7 X3]",
    inProcess(async (client) => {
      const { programs, agent } = client;
      await ledgerOf(client);
      await using bob = agent({ name: "bob" });
      let calls = 0;
      await programs.edit("ledger", { write: ["f2"] }, async ({ f2 }) => {
        calls += 1;
        if (calls === 1) {
          const { holders } = await bob.locks.status("program/ledger/function/f2");
          await bob.locks.forceRelease(holders[0]?.fence ?? "", "an urgent fix");
          await bob.programs.edit("ledger", { write: ["f2"] }, ({ f2: own }) => ({
            f2: own.text.replace("x +% x", "2 *% x"),
          }));
        }
        return { f2: f2.text.replace("pub fn", "/// Twice x.\npub fn") };
      });
      assert.equal(calls, 2);
      const { text } = await programs.getFunction("ledger", { functionId: "f2" });
      assert.match(text ?? "", /Twice x[\s\S]*2 \*% x/u, "the change of the other agent is kept");
    }),
  );

  test(
    "an edit does not wait longer than its limit for a lock [G4]",
    inProcess(async (client) => {
      const { programs, agent } = client;
      await ledgerOf(client);
      await using bob = agent({ name: "bob" });
      await using _held = await bob.acquire("program/ledger/function/f1", { purpose: "a long talk" });
      const refused = await refusalOf(programs.edit("ledger", { write: ["f1"], waitMs: 0 }, () => ({ f1: clamp })));
      assert.equal(refused.code, "lock_denied");
      assert.match(refused.message, /a long talk/u);
    }),
  );

  test(
    "a failed check of an edit has typed diagnostics with line, column and inputs [G9]",
    inProcess(async (client) => {
      const { programs } = client;
      await ledgerOf(client);
      const broken = clamp.replace("{ high }", "{ high + 1 }");
      const refused = await refusalOf(programs.edit("ledger", { write: ["f1"] }, () => ({ f1: broken })));
      assert.ok(isProgramsVerificationFailed(refused));
      const [error] = refused.data.errors;
      assert.deepEqual([error?.code, error?.functionId, error?.line], ["condition.ensures", "f1", 3]);
      assert.deepEqual(Object.keys(error?.inputs as object), ["x", "low", "high"]);
      assert.deepEqual((await client.locks.list({ under: "program/ledger" })).items, [], "the locks are released");
    }),
  );

  test(
    "an edit with repairs hands the findings to its next attempt under the same lock [G9]",
    inProcess(async (client) => {
      const { programs } = client;
      await ledgerOf(client);
      const found: ProgramDiagnostic[] = [];
      await programs.edit("ledger", { write: ["f2"], repairs: 2 }, ({ f2 }, { errors }) => {
        found.push(...errors);
        if (found.length === 0) return { f2: "pub fn double(x: i64) -> i64 { y }" };
        return { f2: found.length === 1 ? "pub fn double(x: i64 -> i64 { x }" : f2.text.replace("x +% x", "2 *% x") };
      });
      assert.deepEqual(
        found.map(({ code, line }) => [code, line]),
        [
          ["name.unknown", 1],
          ["syntax.unexpected", 1],
        ],
      );
    }),
  );

  test(
    "an edit that returns no change is an error of its caller [G6]",
    inProcess(async (client) => {
      await ledgerOf(client);
      await assert.rejects(
        client.programs.edit("ledger", { write: ["f1"] }, () => ({})),
        TypeError,
      );
      assert.deepEqual((await client.locks.list({ under: "program/ledger" })).items, []);
    }),
  );
});
