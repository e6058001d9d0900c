/**
 * A program that dies by SIGKILL at a step of the append of a mutation, after its check. It reads its plan from standard
 * input, and prints the lock and the hash that a retry needs.
 */
import { readFileSync } from "node:fs";
import { dyingJournal } from "../scenario/dying-journal.ts";
import type { Point } from "../scenario/kill-lines.ts";
import { ledger } from "./programs-node.ts";

const { folder, at, append } = JSON.parse(readFileSync(0, "utf8")) as {
  readonly folder: string;
  readonly at: Point;
  readonly append: number;
};
const { ann } = await ledger(["pub fn one() -> i64 { 1 }"], { journal: await dyingJournal(folder, { at, append }) });
await ann.lock(["f1"]);
const hash = await ann.hash("f1");
console.log(JSON.stringify({ agentId: ann.id, secret: ann.secret, hash }));
const mutations = [{ type: "set_function", function_id: "f1", text: "pub fn one() -> i64 { 2 }" }];
await ann.send("programs.mutate", { mutations, expected_hashes: { f1: hash }, release: true }, "k1");
throw new Error("the process survived");
