/**
 * Makes a fixture journal. It has a small history with every type of event and with refusals, as this build decides it,
 * and its final state. There is one pair for each rules number. A release freezes it. A later build that decides or
 * folds it differently would break every journal that is in use. So this never overwrites a file. A change before the
 * release deletes the pair and makes it again.
 *
 *   node tools/make-fixture.ts rules-1          entities and the space
 *   node tools/make-fixture.ts rules-1-locks    agents and locks
 *   node tools/make-fixture.ts rules-1-programs programs, with the evidence of their checks
 */
import { defined } from "@holdfast/sdk/base/defined";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StateHash } from "../server/src/engine/state-hash.ts";
import { batchLine } from "../server/src/journal/batch-line.ts";
import { eraseFromBatch } from "../server/src/journal/erase-from-batch.ts";
import { genesis, seal } from "../server/src/journal/seal.ts";
import { headOf, type StoredBatch } from "../server/src/journal/unseal.ts";
import type { Command, Entry, Outcome } from "../server/src/machine/entry.ts";
import type { Json } from "../sdk/src/json/json.ts";
import { sampleHistory, sampleMachine } from "../test/machine/sample-history.ts";
import { allChecks } from "../server/src/app/app-services.ts";
import { openRecheck } from "../server/src/checks/recheck.ts";
import type { WantedCheck } from "../server/src/machine/feature.ts";
import type { StateReader } from "../server/src/machine/state.ts";
import { recordLocks } from "./record-locks.ts";
import { recordPrograms } from "./record-programs.ts";

const folder = join(import.meta.dirname, "..", "test", "fixtures", "journals");
const entriesPerBatch = [1, 3, 8, 2];

function fail(message: string): never {
  console.error(`tools/make-fixture.ts: ${message}`);
  process.exit(1);
}

const makeEvidence = await openRecheck(allChecks([]));

/** Decides one command after another and keeps what is recorded. */
class Recorder {
  readonly entries: Entry[] = [];
  readonly #machine = sampleMachine();
  readonly #hash = new StateHash();
  #count = 0;
  #passedMs = 0;

  decide(command: Omit<Command, "id">, grace = false): Outcome {
    this.#count += 1;
    const time = 1_800_000_000_000 + this.#passedMs + 7 * this.#count;
    const { entry, outcome, defect } = this.#machine.decide(
      { ...command, id: `fixture-${this.#count}` },
      { position: this.entries.length + 1, time, grace, prior: undefined },
    );
    if (defect !== undefined) throw defect as Error;
    this.#machine.settle();
    if (entry === undefined) return outcome;
    this.entries.push(entry);
    if (entry.position % this.#machine.settings.stateHashEvery === 0) {
      this.record("record-state-hash", { position: entry.position, hash: this.stateHash() });
    }
    return outcome;
  }

  /** Decides a command with the evidence of the check that its decision names. */
  decideChecked(command: Omit<Command, "id">): Outcome {
    const outcome = this.decide(command);
    if (outcome.kind === "done" || outcome.code !== "check_stale") return outcome;
    const { wanted } = outcome.data as unknown as { readonly wanted: WantedCheck };
    const evidence = makeEvidence({ ...command, id: "check" }, wanted, this.state);
    return this.decide({ ...command, ...defined({ evidence }) });
  }

  get state(): StateReader {
    return this.#machine.durable;
  }

  pass(durationMs: number): void {
    this.#passedMs += durationMs;
  }

  record(operation: string, input: Json, key?: string): void {
    this.decide({ operation, principal: "fixture", input, ...defined({ key }) });
  }

  stateHash(): string {
    for (const { table, old, row } of this.#machine.capture()) {
      if (old !== undefined) this.#hash.remove(table, JSON.stringify(old));
      if (row !== undefined) this.#hash.add(table, JSON.stringify(row));
    }
    return this.#hash.text;
  }
}

/** The commands of another history, with keys that are new here. */
function* commandsOf(seed: number, count: number): Iterable<Omit<Command, "id">> {
  for (const { operation, principal, agent, key, input } of sampleHistory(seed, count)) {
    const author = agent === undefined ? { principal } : { principal, agent };
    yield { operation, ...author, input, ...(key === undefined ? {} : { key: `${seed}-${key}` }) };
  }
}

/** Entries that something later made superfluous: the first creation that was replaced, and the first patch. */
function erasable(entries: readonly Entry[]): readonly Entry[] {
  const isReplaced = ({ events: [event], position }: Entry): boolean =>
    entries.some(
      (later) =>
        later.position > position && later.events.some((other) => other.subject === event?.subject && isWhole(other)),
    );
  const first = (type: string) => entries.find((entry) => entry.events[0]?.type === type && isReplaced(entry));
  return ["entity.created", "entity.merged"].flatMap((type) => first(type) ?? fail(`no ${type} can be erased`));
}

function isWhole({ type }: { readonly type: string }): boolean {
  return type === "entity.created" || type === "entity.replaced" || type === "entity.deleted";
}

interface Recorded {
  readonly entries: readonly Entry[];
  readonly erased: ReadonlyMap<number, number>;
  readonly hash: string;
}

function record(about: string): Recorded {
  const recorder = new Recorder();
  for (const command of commandsOf(31, 220)) recorder.decide(command);
  recorder.record("configure", { settings: { state_hash_every: 100, component_toggles: { lock_manager: true } } });
  if (about === "locks") recordLocks(recorder);
  else if (about === "programs") recordPrograms(recorder);
  else recordEntities(recorder);
  const erased = new Map<number, number>();
  for (const { position, events } of erasable(recorder.entries)) {
    const about = events.map(({ type, subject }) => [type, subject]);
    recorder.record("erase-payload", { position, reason: "asked for", events: about });
    erased.set(position, recorder.entries.length);
  }
  for (const command of commandsOf(34, 60)) recorder.decide(command);
  return { entries: recorder.entries, erased, hash: recorder.stateHash() };
}

function recordEntities(recorder: Recorder): void {
  for (const command of commandsOf(32, 220)) recorder.decide(command);
  recorder.record("raise-epoch", { above: 1, at_least: 5, reason: "restored from a backup" });
  recorder.record("raise-rules", { to: 9 }, "too-far");
  const bad = { type: "ticket", id: "bad", value: { title: "", status: "open" } };
  recorder.record("create-entity", bad, "violates-its-kind");
  for (const command of commandsOf(33, 120)) recorder.decide(command);
  recorder.record("intents.create", { id: "ended", payload: {}, status: "completed" });
  recorder.pass(30 * 24 * 60 * 60 * 1_000);
  recorder.record("intents.retire", { first: "ended" });
}

function sealed(entries: readonly Entry[], erased: ReadonlyMap<number, number>): readonly StoredBatch[] {
  const batches: StoredBatch[] = [];
  let after = genesis;
  while (after.position < entries.length) {
    const count = entriesPerBatch[batches.length % entriesPerBatch.length] ?? 1;
    const part = entries.slice(after.position, after.position + count);
    const salts = part.map(({ position }) => position.toString(16).padStart(32, "0"));
    const { head, lines } = seal(part, after, salts);
    const header = { first: after.position + 1, count: part.length, time: head.time, previous: after.hash };
    let batch: StoredBatch = { ...header, hash: head.hash, lines };
    for (const { position } of part) {
      const by = erased.get(position);
      if (by !== undefined) batch = eraseFromBatch(batch, position, by);
    }
    batches.push(batch);
    after = headOf(batch);
  }
  return batches;
}

const [name] = process.argv.slice(2);
if (name === undefined || !/^rules-\d+(-[a-z]+)*$/.test(name)) fail("Name the fixture, for example rules-1.");
const file = join(folder, `${name}.ndjson`);
if (existsSync(file)) {
  fail(
    `${file} exists. If its rules are not released, delete it and run this again; otherwise make one of a new number.`,
  );
}
const { entries, erased, hash } = record(name.replace(/^rules-\d+-?/u, ""));
const batches = sealed(entries, erased);
const last = batches.at(-1) ?? fail("the history is empty");
mkdirSync(folder, { recursive: true });
writeFileSync(file, batches.map((batch) => `${batchLine(batch)}\n`).join(""));
const expected = { head: `${headOf(last).position}:${last.hash}`, state_hash: hash, erased: erased.size };
writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(expected, undefined, 2)}\n`);
console.log(`made ${file} with ${entries.length} entries`);
