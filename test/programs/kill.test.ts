/** Processes that die between the check of a mutation and its entry, or between the entry and the answer. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import type { Point } from "../scenario/kill-lines.ts";
import { inEmptyFolder, startProgram } from "../scenario/program.ts";
import { ProgramAgent, programsNode } from "./programs-node.ts";

/** The append of the mutation: agent, program, function and lock come before it. */
const append = 5;

/** The points, and whether the entry is durable there. */
const deaths: readonly (readonly [Point, boolean])[] = [
  ["before the transaction", false],
  ["before the reply", true],
];

for (const [at, isDurable] of deaths)
  test(
    `a process killed at an append, ${at}, leaves ${isDurable ? "one whole mutation" : "no trace of it"}, and a keyed retry gives one answer [G7 G9 X2]`,
    inEmptyFolder(async (folder) => {
      const child = startProgram(join(import.meta.dirname, "kill-child.ts"), [], {
        input: JSON.stringify({ folder: join(folder, "data"), at, append }),
      });
      const line = JSON.parse(await child.line(/agentId/u)) as Record<"agentId" | "secret" | "hash", string>;
      assert.equal((await child.ended).signal, "SIGKILL");
      const journal = await openSqliteJournal({ folder: join(folder, "data"), startedAt: "now", tailRows: 500 });
      await using node = await programsNode({ journal });
      const { agentId, secret, hash } = line;
      const ann = new ProgramAgent(node.client.as({ agentId, secret }), agentId, "ledger");
      const isChanged = (await ann.hash("f1")) !== hash;
      assert.equal(isChanged, isDurable);
      const mutations = [{ type: "set_function", function_id: "f1", text: "pub fn one() -> i64 { 2 }" }];
      const input = { mutations, expected_hashes: { f1: hash }, release: true };
      const replies = [];
      for (let retry = 0; retry < 2; retry += 1) replies.push(await ann.send("programs.mutate", input, "k1"));
      assert.deepEqual(
        replies.map(({ replayed, outcome }) => [replayed, outcome.kind]),
        [
          [isDurable, "done"],
          [true, "done"],
        ],
      );
      assert.deepEqual(replies[0]?.outcome, replies[1]?.outcome);
      assert.equal((await ann.done("programs.get"))["version"], 3, "one mutation after the first");
      assert.equal((await ann.done("programs.verify"))["valid"], true);
      assert.equal(await ann.code("release-lock", { paths: ["program/ledger/function/f1"] }), "lock_not_held");
    }),
  );
