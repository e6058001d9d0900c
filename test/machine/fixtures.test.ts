/** Journals for each rules number: entities, locks, programs. Once released, they fold and decide the same forever. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { events } from "@holdfast/sdk/contract";
import { refuse } from "holdfast";
import { allChecks } from "../../server/src/app/app-services.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { openRecheck } from "../../server/src/checks/recheck.ts";
import { Verification, type VerificationResult } from "../../server/src/engine/verify/verification.ts";
import { readBatchLine } from "../../server/src/journal/batch-line.ts";
import { type StoredBatch, unsealAll } from "../../server/src/journal/unseal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { sampleMachine } from "./sample-history.ts";
import { ticketKind } from "./ticket-kind.ts";

const folder = join(import.meta.dirname, "..", "fixtures", "journals");

const whatToDo =
  "This build decides or folds the fixture differently. If the change is intended and its rules are not released, delete " +
  "the fixture and create it again with tools/make-fixture.ts. If they are released, existing journals depend on them: " +
  "give the change a new rules number (knownRules in server/src/assembly/open.ts), keep the released rules callable, give " +
  "a changed fold a new type of event, and create a fixture of the new number.";

interface Fixture {
  readonly name: string;
  readonly rules: number;
  readonly batches: readonly StoredBatch[];
  readonly expected: { readonly head: string; readonly state_hash: string; readonly erased: number };
}

const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith(".ndjson"))
  .map((file): Fixture => {
    const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    const expected = readFileSync(join(folder, file.replace(/ndjson$/, "json")), "utf8");
    return {
      name: file,
      rules: Number(/^rules-(\d+)/.exec(file)?.[1]),
      batches: lines.map((line) => readBatchLine(line) ?? assert.fail("not a batch")),
      expected: JSON.parse(expected) as Fixture["expected"],
    };
  });

const entriesOf = ({ batches }: Fixture): readonly Entry[] =>
  batches.flatMap((batch) => unsealAll(batch, batch.previous));

function verify(batches: readonly StoredBatch[], carries = true): VerificationResult {
  const options = verificationOf([ticketKind]);
  const verification = new Verification(carries ? options : { ...options, canRedecide: () => false });
  for (const batch of batches) if (!verification.take(batch)) break;
  return verification.finish();
}

for (const fixture of fixtures) {
  const { name, batches, expected } = fixture;
  test(`deciding the fixture ${name} again gives the same outcomes, events and state, byte for byte [M3]`, () => {
    const { ok, head, entries, redecided, erased, hashesChecked, stateHash, firstBad } = verify(batches);
    assert.ok(ok, `${JSON.stringify(firstBad)}\n${whatToDo}`);
    assert.equal(`${head.position}:${head.hash}`, expected.head, whatToDo);
    assert.equal(stateHash, expected.state_hash, whatToDo);
    assert.equal(erased, expected.erased);
    assert.ok(hashesChecked > 0, "no recorded hash of the state was compared");
    assert.ok(redecided > 0.9 * entries, `only ${redecided} of ${entries} were decided again`);
  });

  test(`folding the fixture ${name} without its rules leads to the same state [M3]`, () => {
    const { ok, redecided, stateHash, firstBad } = verify(batches, false);
    assert.ok(ok, `${JSON.stringify(firstBad)}\n${whatToDo}`);
    assert.equal(redecided, 0);
    assert.equal(stateHash, expected.state_hash, whatToDo);
  });

  test(`the fixture ${name} contains refusals, conflicts, erased payloads and only rules up to its number`, () => {
    const entries = entriesOf(fixture);
    assert.ok(entries.some(({ outcome, events }) => outcome.kind === "refusal" && events.length === 0));
    assert.ok(entries.some(({ events }) => events.some(({ type }) => type === "entity.conflict")));
    assert.ok(entries.some(({ erased }) => erased !== undefined));
    assert.ok(entries.every(({ rules }) => rules <= fixture.rules));
  });
}

test("the checks of this build make the evidence of the fixture with programs again, byte for byte [M3 G9]", async () => {
  const fixture = fixtures.find(({ name }) => name.endsWith("-programs.ndjson"));
  assert.ok(fixture);
  const makeEvidence = await openRecheck(allChecks([]));
  const verification = new Verification({ ...verificationOf([ticketKind]), makeEvidence });
  for (const batch of fixture.batches) if (!verification.take(batch)) break;
  const { ok, rechecked, firstBad } = verification.finish();
  assert.ok(ok, `${JSON.stringify(firstBad)}\n${whatToDo} Another verdict also needs another name of the check.`);
  assert.ok(rechecked > 80, `${rechecked} mutations were checked again`);
});

test("every rules number that this build carries has a fixture [M3]", () => {
  const machine = sampleMachine();
  for (let rules = 1; machine.knowsRules(rules); rules += 1) {
    assert.ok(
      fixtures.some((fixture) => fixture.rules === rules),
      `rules ${rules} have no fixture: create one with tools/make-fixture.ts`,
    );
  }
});

test("a fixture detects a decision that changed without a new rules number", () => {
  const [fixture] = fixtures;
  const stricter = { ...ticketKind, type: "document", check: () => undefined, rule: () => refuse("no"), commands: [] };
  const options = verificationOf([ticketKind, stricter]);
  const verification = new Verification(options);
  for (const batch of fixture?.batches ?? []) if (!verification.take(batch)) break;
  assert.equal(verification.finish().firstBad?.what, "outcome");
});

/** Features whose events are published. A new feature adds its events to a fixture. */
const published = ["entity", "payload", "space", "agent", "agents", "lock", "locks", "program"];
/** Event types that no history of the first rules can contain. */
const ofLaterRules = ["space.rules_raised"];
/** Event types that no operation of this build records. `test/locks/sets.test.ts` decides and folds them. */
const ofFeaturesToCome = ["lock.adopted", "lock.job_claimed"];

test("every type of event of a published feature is in a fixture", () => {
  const types = new Set(fixtures.flatMap(entriesOf).flatMap((entry) => entry.events.map(({ type }) => type)));
  const expected = Object.keys(events).filter((type) => published.includes(type.slice(0, type.indexOf("."))));
  assert.deepEqual(
    expected.filter((type) => !types.has(type)),
    [...ofLaterRules, ...ofFeaturesToCome],
  );
});
