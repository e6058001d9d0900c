import assert from "node:assert/strict";
import { test } from "node:test";
import { allChecks } from "../../server/src/app/app-services.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { openRecheck } from "../../server/src/checks/recheck.ts";
import { Verification } from "../../server/src/engine/verify/verification.ts";
import type { VerificationResult } from "../../server/src/engine/verify/verification.ts";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { checkedNode, orderKind } from "./checked-node.ts";

/** A history with accepted and refused checks. */
async function checkedHistory(): Promise<readonly Entry[]> {
  await using node = await checkedNode();
  const { client, engine } = node;
  await client.entities.create("limit", "a", { max: 100 });
  await client.entities.create("order", "1", { price: 90, limit: "a" });
  const dear = { type: "order", id: "1", value: { price: 101, limit: "a" } };
  await client.execute("replace-entity", dear, { key: "refused" });
  await client.run("raise-order", { id: "1", by: 5 });
  return await engine.entriesAfter(0, { entries: 100, bytes: 1e9 });
}

async function verify(entries: readonly Entry[], isDeep: boolean): Promise<VerificationResult> {
  const { head, lines } = seal(
    entries,
    genesis,
    entries.map(() => "salt"),
  );
  const makeEvidence = isDeep ? await openRecheck(allChecks([orderKind])) : undefined;
  const verification = new Verification({ ...verificationOf([orderKind]), makeEvidence });
  const { time, hash } = head;
  verification.take({ first: 1, count: entries.length, time, previous: genesis.hash, hash, lines });
  return verification.finish();
}

test("verify --deep runs recorded checks again, counts them, and finds a forged verdict [X1]", async () => {
  const entries = await checkedHistory();
  const honest = await verify(entries, true);
  assert.deepEqual([honest.ok, honest.rechecked, honest.firstBad], [true, 3, undefined]);
  // The author of a false history lets the refused order pass, and computes outcome, events and hashes again.
  const forged = entries.map((entry): Entry => {
    const isCreated = entry.operation === "create-entity" && entry.evidence !== undefined;
    if (!isCreated) return entry;
    const value = { price: 500, limit: "a" };
    const input = { ...(entry.input as JsonObject), value };
    return { ...entry, input, events: entry.events.map((event) => ({ ...event, data: { version: 1, value } })) };
  });
  const upTo = forged.slice(
    0,
    forged.findIndex(({ key }) => key === "refused"),
  );
  assert.equal((await verify(upTo, false)).ok, true, "a decision trusts its evidence");
  const found = await verify(upTo, true);
  assert.deepEqual([found.ok, found.firstBad?.what], [false, "evidence"]);
});

test("an entry that was decided before its kind had a check is folded and not reported", async () => {
  const entries = await checkedHistory();
  const before = entries.filter(({ key }) => key !== "refused").slice(0, -1);
  const unchecked = before.map(({ evidence: _, ...entry }): Entry => entry);
  const { ok, foldedOnly } = await verify(unchecked, true);
  assert.deepEqual([ok, foldedOnly], [true, 1]);
});
