/** Tests the parts of the verification that the command line does not reach: state hashes, keys and shown differences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { StateHash } from "../../server/src/engine/state-hash.ts";
import { differenceOf } from "../../server/src/engine/verify/bad-entry.ts";
import { KeySet } from "../../server/src/engine/verify/key-set.ts";
import { Verification, type VerificationResult } from "../../server/src/engine/verify/verification.ts";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { machineOf } from "../../server/src/assembly/open.ts";

/** A history that hashes its state at position 100, and records the result of `recorded` at position 101. */
function hashedHistory(recorded: (hash: string) => string): readonly Entry[] {
  const machine = machineOf([]);
  const entries: Entry[] = [];
  const decide = (operation: string, input: Json): void => {
    const position = entries.length + 1;
    const command = { id: `c${position}`, operation, principal: "p", input };
    const { entry } = machine.decide(command, { position, time: position, grace: false, prior: undefined });
    machine.settle();
    entries.push(entry ?? assert.fail(`${operation} left no entry`));
  };
  decide("configure", { settings: { state_hash_every: 100 } });
  while (entries.length < 100) decide("create-entity", { type: "note", id: `n${entries.length}`, value: {} });
  const hash = new StateHash();
  for (const { table, row } of machine.dump()) hash.add(table, JSON.stringify(row));
  decide("record-state-hash", { position: 100, hash: recorded(hash.text) });
  return entries;
}

function verify(entries: readonly Entry[]): VerificationResult {
  const { head, lines } = seal(
    entries,
    genesis,
    entries.map(() => "salt"),
  );
  const verification = new Verification(verificationOf([]));
  verification.take({
    first: 1,
    count: entries.length,
    time: head.time,
    previous: genesis.hash,
    hash: head.hash,
    lines,
  });
  return verification.finish();
}

test("the verification compares a recorded hash with the state that the entries lead to [X1]", () => {
  const { ok, hashesChecked } = verify(hashedHistory((hash) => hash));
  assert.deepEqual([ok, hashesChecked], [true, 1]);
  const forged = verify(hashedHistory((hash) => hash.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))));
  assert.equal(forged.ok, false);
  assert.deepEqual([forged.firstBad?.position, forged.firstBad?.what], [101, "state"]);
});

test("KeySet holds every added key and no other, also after it has grown", () => {
  const keys = new KeySet();
  for (let index = 0; index < 20_000; index += 1) assert.ok(keys.add(`key ${index}`), `key ${index} is new`);
  for (let index = 0; index < 20_000; index += 97) assert.ok(!keys.add(`key ${index}`), `key ${index} is known`);
  assert.ok(keys.add("key 20000"));
});

test("differenceOf cuts long texts so that both show the first difference", () => {
  const same = "x".repeat(1_000);
  const { expected, found } = differenceOf(`${same}one${same}`, `${same}two${same}`);
  assert.match(expected, /^…x{40}one/);
  assert.match(found, /^…x{40}two/);
  assert.ok(expected.length < 500);
  assert.deepEqual(differenceOf("a", "b"), { expected: "a", found: "b" });
});
