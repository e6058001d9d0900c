/**
 * The true history: every entry at the moment it became durable, checked against all earlier entries. It decides each
 * entry again with its own machine, so it also knows the state that every replica must have.
 */
import { entityTable, findEntity, isLive, revisionOf } from "../../server/src/features/entities/entity-table.ts";
import { canonicalText } from "../json/canonical-text.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { attemptOf } from "./attempt-of.ts";
import { watchProgram } from "./program-watch.ts";
import { simulatedMachine, stateText } from "./simulated-machine.ts";
import type { Witness } from "./witness.ts";

/** An entry that is, or was, in the journal. */
export interface RecordedEntry {
  readonly entry: Entry;
  /** False once the journal was rolled back past it. */
  isThere: boolean;
  /** The first answer that any caller got about it. Every other answer must be the same. */
  answer: string | undefined;
}

export class History {
  readonly entries: RecordedEntry[] = [];
  readonly #byAttempt = new Map<string, RecordedEntry[]>();
  readonly #byScope = new Map<string, RecordedEntry[]>();
  readonly #ids = new Set<string>();
  /** Each version that an entity ever had, by subject and position, as the text of its value. */
  readonly #values = new Map<string, string[]>();
  #machine: Machine = simulatedMachine();
  #dump: string | undefined;

  get position(): number {
    return this.entries.length;
  }

  get machine(): Machine {
    return this.#machine;
  }

  /** The state at the head, as text. */
  dump(): string {
    return (this.#dump ??= stateText(this.#machine));
  }

  at(position: number): RecordedEntry | undefined {
    return this.entries[position - 1];
  }

  ofAttempt(attempt: string): readonly RecordedEntry[] {
    return this.#byAttempt.get(attempt) ?? [];
  }

  ofScope(scope: string): readonly RecordedEntry[] {
    return this.#byScope.get(scope) ?? [];
  }

  /** True if an entity ever had this value at this position. "" means a deletion. */
  hadValue(subject: string, position: number, text: string): boolean {
    return this.#values.get(`${subject}@${position}`)?.includes(text) === true;
  }

  /** Adds entries that have just become durable. */
  append(entries: readonly Entry[], witness: Witness): void {
    this.#dump = undefined;
    for (const entry of entries) {
      this.#checkPlace(entry, witness);
      for (const [index, event] of entry.events.entries()) {
        const before = entry.events.slice(0, index).filter((other) => isVersionOf(other, event.subject)).length;
        this.#checkVersion(event, { entry, before }, witness);
        checkReport(event, entry, witness);
      }
      const checkAfter = watchProgram(entry, this.#machine.durable, witness);
      this.#decideAgain(entry, witness);
      checkAfter?.();
      const recorded: RecordedEntry = { entry, isThere: true, answer: undefined };
      this.entries.push(recorded);
      this.#ids.add(entry.id);
      const attempt = attemptOf(entry);
      if (attempt !== undefined) addTo(this.#byAttempt, attempt, recorded);
      const scope = keyScope(entry);
      if (scope !== undefined) addTo(this.#byScope, scope, recorded);
      for (const { subject } of entry.events) this.#noteValue(subject, entry.position);
      witness.log(() => `entry ${entry.position} ${entry.operation} ${attempt ?? entry.id} ${outcomeText(entry)}`);
    }
  }

  /** The journal was rolled back: entries after this position never happened. */
  goBack(position: number): void {
    for (const recorded of this.entries.splice(position)) {
      recorded.isThere = false;
      this.#ids.delete(recorded.entry.id);
    }
    this.#dump = undefined;
    this.#machine = simulatedMachine();
    for (const { entry } of this.entries) this.#machine.fold(entry);
  }

  #checkPlace(entry: Entry, witness: Witness): void {
    const { position, time, id } = entry;
    const attempt = attemptOf(entry);
    const last = this.entries.at(-1)?.entry;
    witness.demand(
      position === this.position + 1,
      "positions have no gaps",
      () => `${position} after ${this.position}`,
    );
    witness.demand(last === undefined || time >= last.time, "time does not go back", () => `at position ${position}`);
    witness.demand(!this.#ids.has(id), "a command happens once", () => `id ${id} again at position ${position}`);
    const sent = attempt === undefined ? [] : this.ofAttempt(attempt).filter(({ isThere }) => isThere);
    witness.demand(sent.length === 0, "a command happens once", () => `${attempt ?? ""} again at position ${position}`);
    const scope = keyScope(entry);
    const used = scope === undefined ? [] : this.ofScope(scope).filter(({ isThere }) => isThere);
    witness.demand(used.length === 0, "a key is used once", () => `${scope ?? ""} again at position ${position}`);
  }

  /** `before` versions of the same entity precede the event in its entry. */
  #checkVersion(
    event: Event,
    { entry, before }: { readonly entry: Entry; readonly before: number },
    witness: Witness,
  ): void {
    if (!event.type.startsWith("entity.")) return;
    const row = this.#machine.durable.rows(entityTable).get(event.subject);
    const detail = (): string => `${event.type} of ${event.subject} at position ${entry.position}`;
    if (event.type === "entity.conflict") {
      const met = event.data["current_version"];
      witness.demand(
        met === (isLive(row) ? row.version + before : 0),
        "a conflict reports the current version",
        detail,
      );
      const fields = Object.keys(event.data).sort().join(" ");
      const isExact = fields === "current_version entity_id expected_version reason";
      witness.demand(isExact, "a conflict event holds exactly its four fields", detail);
      return;
    }
    const { expected_revision: expected, if_unchanged: fields } = entry.input as Readonly<Record<string, unknown>>;
    const isExpected =
      expected === undefined || fields !== undefined || (row !== undefined && revisionOf(row) === expected);
    witness.demand(isExpected, "a write rests on the revision that it expects", detail);
    const version = event.data["version"];
    witness.demand(
      version === (row?.version ?? 0) + before + 1,
      "a change makes the next version, and nothing else does",
      detail,
    );
  }

  /** The same command on the same history must give the same entry, byte for byte. */
  #decideAgain(entry: Entry, witness: Witness): void {
    const { position, time, grace, rules: _rules, outcome, events, ...command } = entry;
    const again = this.#machine.decide(command, { position, time, grace, prior: undefined });
    this.#machine.settle();
    const first = JSON.stringify([outcome, events]);
    const second = JSON.stringify([again.outcome, again.events]);
    witness.demand(first === second, "an entry decided again comes out the same", () => `${first} became ${second}`);
  }

  #noteValue(subject: string, position: number): void {
    const slash = subject.indexOf("/");
    const target = { type: subject.slice(0, slash), id: subject.slice(slash + 1) };
    const row = findEntity(this.#machine.durable, target);
    if (row?.position === position) addTo(this.#values, `${subject}@${position}`, valueText(row.value));
  }
}

export function valueText(value: Json | undefined): string {
  return value === undefined ? "" : canonicalText(value);
}

function isVersionOf({ type, subject }: Event, of: string): boolean {
  return subject === of && type.startsWith("entity.") && type !== "entity.conflict";
}

function outcomeText({ outcome }: Entry): string {
  return outcome.kind === "done" ? `done ${JSON.stringify(outcome.data)}` : outcome.code;
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The services of all nodes send the same command. A second decision is possible, and the append refuses it. */
function checkReport({ type, data }: Event, entry: Entry, witness: Witness): void {
  witness.demand(
    type !== "lease.reported" || data["is_first"] === true,
    "the services of several nodes produce one entry",
    () => `entry ${entry.position} is another report of ${JSON.stringify(data)}`,
  );
}
