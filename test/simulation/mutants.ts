/** Ways in which Holdfast could be wrong. The simulation must notice each of them, or it proves nothing. */
import { Grace } from "../../server/src/engine/grace.ts";
import { RecentEntries } from "../../server/src/engine/recent-entries.ts";
import { entityTable } from "../../server/src/features/entities/entity-table.ts";
import { waitTallyTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import { locksFeature } from "../../server/src/features/locks/locks.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { AppendResult, Journal } from "../../server/src/journal/journal.ts";
import type { MemoryStore } from "../../server/src/journal/memory/disk.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import type { Event } from "../../server/src/machine/entry.ts";
import type { DecideContext, Feature, Fold, Rule } from "../../server/src/machine/feature.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import { Table } from "../../server/src/machine/table.ts";
import { UndoList } from "../../server/src/machine/undo-list.ts";
import { unchanged } from "./mutant.ts";
import type { Mutant, WriteBatch } from "./mutant.ts";
import { simulatedFeatures, simulatedMachine } from "./simulated-machine.ts";

const mutant = (changes: Partial<Mutant>): Mutant => ({ ...unchanged, ...changes });

export const mutants: Readonly<Record<string, Mutant>> = {
  "the journal compares positions only": mutant({ write: writeByPosition, journal: followByPosition }),
  "nobody looks for its own ids after an append without an answer": mutant({ journal: strangeIds }),
  "answers leave before the append": mutant({ journal: appendBehind }),
  "an append without an answer is taken for failed": mutant({ journal: certainOfEverything }),
  "a failed append is not undone": mutant({ machine: machineWithoutUndo }),
  "undo restores a row that changed twice half-way": mutant({ patch: undoHalfWay }),
  "keys are not looked up": mutant({ journal: withoutKeys }),
  "a key that only the store knows is not looked for": mutant({
    journal: (journal) => ({ ...journal, append: (batch) => journal.append(batch) }),
  }),
  "time is stamped backwards": mutant({ machine: machineInThePast }),
  "there is no grace": mutant({ patch: () => replace(Grace.prototype, "isOver", () => () => true) }),
  "stalls are not noticed": mutant({ patch: () => replace(Grace.prototype, "noteStall", () => () => {}) }),
  "reads see what is not durable": mutant({
    patch: () => replace(UndoList.prototype, "before", () => () => "untouched"),
  }),
  "a subscriber misses an entry": mutant({ patch: skipEntry }),
  "a conflict makes a version": mutant({ machine: () => simulatedMachine(simulatedFeatures.map(countConflicts)) }),
  "a lost history does not raise the epoch": mutant({ machine: machineOfOneEpoch }),
  "who comes last is served first": mutant({ patch: () => replace(lockFolds, "lock.queued", queueInFront) }),
  "a request passes those who wait": mutant({ patch: () => replace(lockRules, "acquire-lock", blindAhead) }),
  "a lock is granted whatever is held below it": mutant({
    patch: () => replace(lockRules, "acquire-lock", blindBelow),
  }),
  "what an agent has outlives it": mutant({
    patch: () => replace(lockFolds, "agent.ended", () => () => undefined),
  }),
  "a request ends what is overdue within the grace": mutant({
    patch: () => replace(lockRules, "acquire-lock", withoutGrace),
  }),
};

/** Replaces a method for the time of a run. */
function replace<Owner, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  make: (original: Owner[Name]) => Owner[Name],
): () => void {
  const original = owner[name];
  owner[name] = make(original);
  return () => {
    owner[name] = original;
  };
}

function writeByPosition(store: MemoryStore, batch: SealedBatch, write: WriteBatch): AppendResult {
  const verdict = write(store, batch);
  if (verdict.kind !== "diverged" || batch.after.position !== store.head().position) return verdict;
  return write({ ...store, head: () => batch.after }, batch);
}

function followByPosition(journal: Journal): Journal {
  return {
    ...journal,
    async follow(after, limit) {
      const followed = await journal.follow(after, limit);
      if (followed.kind === "followed") return followed;
      const head = await journal.head();
      if (head.position < after.position) return followed;
      const entries = [];
      while (entries.length < head.position - after.position) {
        entries.push(...(await journal.read(after.position + entries.length, limit)));
      }
      return { kind: "followed", entries, head };
    },
  };
}

function strangeIds(journal: Journal): Journal {
  return {
    ...journal,
    async follow(after, limit) {
      const followed = await journal.follow(after, limit);
      if (followed.kind === "diverged") return followed;
      return { ...followed, entries: followed.entries.map((entry) => ({ ...entry, id: `${entry.id}?` })) };
    },
  };
}

function appendBehind(journal: Journal): Journal {
  return {
    ...journal,
    append(batch, unproven) {
      journal.append(batch, unproven).catch(() => {});
      return Promise.resolve({ kind: "appended" });
    },
  };
}

function certainOfEverything(journal: Journal): Journal {
  return {
    ...journal,
    async append(batch, unproven) {
      try {
        return await journal.append(batch, unproven);
      } catch (error) {
        const { code, message } = error as JournalError;
        throw new JournalError(code, message, { certain: true });
      }
    },
  };
}

function withoutKeys(journal: Journal): Journal {
  const { coordination: sharing } = journal;
  return {
    ...journal,
    findKeys: async (scopes) => (await journal.findKeys(scopes)).map(() => undefined),
    append: (batch) => journal.append(batch),
    ...(sharing !== undefined && {
      coordination: { ...sharing, findKeysInMemory: (scopes) => scopes.map(() => undefined) },
    }),
  };
}

function machineWithoutUndo(): ReturnType<Mutant["machine"]> {
  const machine = simulatedMachine();
  machine.undo = () => machine.settle();
  return machine;
}

function machineInThePast(): ReturnType<Mutant["machine"]> {
  const machine = simulatedMachine();
  const decide = machine.decide.bind(machine);
  machine.decide = (command, circumstances) => decide(command, { ...circumstances, time: circumstances.time - 60_000 });
  return machine;
}

/** It says that a new epoch has begun, and begins none. */
function machineOfOneEpoch(): ReturnType<Mutant["machine"]> {
  const machine = simulatedMachine();
  const decide = machine.decide.bind(machine);
  machine.decide = (command, circumstances) => {
    if (command.operation !== "raise-epoch") return decide(command, circumstances);
    return decide({ ...command, operation: "expire-lease", input: { name: "none", fence: 0 } }, circumstances);
  };
  return machine;
}

/** The oldest value of a row is the one that counts; here the newest is. */
function undoHalfWay(): () => void {
  let restored: Set<string> | undefined;
  const ways = [
    replace(UndoList.prototype, "undoTo", (undoTo) => {
      return function (this: UndoList, mark: number): void {
        restored = new Set();
        undoTo.call(this, mark);
        restored = undefined;
      };
    }),
    replace(Table.prototype, "restore", (restore) => {
      return function (this: Table<unknown>, key: string, old: unknown): void {
        const place = `${this.spec.name} ${key}`;
        if (restored?.has(place) === true) return;
        restored?.add(place);
        restore.call(this, key, old);
      };
    }),
  ];
  return () => {
    for (const way of ways) way();
  };
}

function skipEntry(): () => void {
  return replace(RecentEntries.prototype, "after", (after) => {
    return function (this: RecentEntries, position: number, limit: number) {
      const entries = after.call(this, position, limit);
      return entries !== undefined && entries.length > 2 ? entries.slice(1) : entries;
    };
  });
}

function countConflicts(feature: Feature): Feature {
  if (feature.name !== "entities") return feature;
  const count: Feature["folds"][string] = (state, event) => {
    const rows = state.rows(entityTable);
    const row = rows.get(event.subject);
    if (row !== undefined) rows.put({ ...row, version: row.version + 1 });
  };
  return { ...feature, folds: { ...feature.folds, "entity.conflict": count } };
}

/** These are changed for every machine, also for the one that decides again: what is noticed are broken invariants. */
const lockFolds = locksFeature.folds as Record<string, Fold>;
const lockRules = locksFeature.rules as Record<string, Rule>;

function queueInFront(fold: Fold | undefined): Fold {
  return (state, event, entry) => fold?.(state, event, { ...entry, position: 1e9 - entry.position });
}

/** The counts of those who wait say that there is nobody. */
function blindAhead(rule: Rule | undefined): Rule {
  if (rule === undefined) throw new Error("no rule to change");
  return {
    ...rule,
    decide: (input, context) => {
      const { state } = context;
      const rows = ((spec: { readonly name: string }) =>
        spec.name === waitTallyTable.name
          ? { get: () => undefined }
          : state.rows(spec as never)) as StateReader["rows"];
      return rule.decide(input, inContext(context, { state: { rows } as StateReader }));
    },
  };
}

function withoutGrace(rule: Rule | undefined): Rule {
  if (rule === undefined) throw new Error("no rule to change");
  return { ...rule, decide: (input, context) => rule.decide(input, inContext(context, { grace: false })) };
}

/** Decides as if only the records themselves were asked for, and grants the trees. */
function blindBelow(rule: Rule | undefined): Rule {
  if (rule === undefined) throw new Error("no rule to change");
  return {
    ...rule,
    decide: (input, context) => {
      const { paths } = input as unknown as { readonly paths: readonly object[] };
      const narrow = { ...(input as object), paths: paths.map((one) => ({ ...one, scope: "self" })) };
      const decision = rule.decide(narrow as never, context);
      return { ...decision, events: decision.events.map(widened) };
    },
  };
}

function widened(event: Event): Event {
  if (event.type !== "lock.acquired") return event;
  const { paths } = event.data;
  const all = Array.isArray(paths) ? { paths: paths.map((one) => ({ ...(one as object), scope: "tree" })) } : {};
  return { ...event, data: { ...event.data, scope: "tree", ...all } };
}

function inContext(context: DecideContext, changes: Partial<DecideContext>): DecideContext {
  const { state, command, position, time, grace, rules, knownRules, restsOn, emit, events } = context;
  return { state, command, position, time, grace, rules, knownRules, restsOn, emit, events, ...changes };
}
