/** Keeps the tables of the pack consistent with its entities and events. These folds never change, and never parse. */
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import type { Event } from "../../machine/entry.ts";
import type { Fold, FoldedEntry } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { oneCopyOf } from "../../machine/one-copy-of.ts";
import { sharedList } from "./compact-value.ts";
import { gap, itemTable, removalTable, userCountTable } from "./item-tables.ts";
import type { ItemRow } from "./item-tables.ts";
import { stackedAt, stackOf, stackTable, triesKey, triesMs, triesTable } from "./stack-table.ts";
import type { StackedItem, StackRow } from "./stack-table.ts";
import { replacedItems, setOf } from "./mutation-request.ts";
import { currentHash, itemPath, parseSubject, programType, usedItems } from "./program-value.ts";
import type { ItemValue } from "./program-value.ts";

/** Maximum mutations of an agent in a program that it can undo. */
const stackDepth = 100;

/** Maximum outdated rows of conflicts that one conflict removes. */
const outdatedMax = 10;

function countUses(state: StateWriter, { programId, uses }: Pick<ItemRow, "programId" | "uses">, by: 1 | -1): void {
  const counts = state.rows(userCountTable);
  for (const item of uses) {
    const subject = itemPath(programId, item);
    const users = (counts.get(subject)?.users ?? 0) + by;
    if (users > 0) counts.put({ subject, users });
    else counts.delete(subject);
  }
}

function rowOf(subject: string, value: ItemValue): ItemRow | undefined {
  const parsed = parseSubject(subject);
  if (parsed?.item === undefined) return undefined;
  const module = value.kind === "module" ? (value.parent ?? "") : value.module;
  const { id } = parsed.item;
  const uses = sharedList(usedItems(value));
  // Parts of the subject would be texts of their own in each row.
  return { subject, programId: oneCopyOf(parsed.programId), kind: value.kind, id, name: value.name, module, uses };
}

/** The entity itself is already folded: features fold in the order of their needs. */
const updateItem: Fold = (state, { subject, type }, { position }) => {
  const parsed = parseSubject(subject);
  if (parsed === undefined) return;
  const { programId, item } = parsed;
  if (item === undefined) {
    if (type === "entity.deleted") {
      forgetProgram(state, programId);
      startRemoval(state, programId, position);
    } else completeStacked(state, programId, position);
    return;
  }
  const items = state.rows(itemTable);
  const before = items.get(subject);
  if (before !== undefined) countUses(state, before, -1);
  const entity = findEntity(state, { type: programType, id: `${programId}/${item.name}` });
  const value = isLive(entity) ? (entity.value as unknown as ItemValue | null) : null;
  const row = value === null ? undefined : rowOf(subject, value);
  if (row === undefined) items.delete(subject);
  else {
    items.put(row);
    countUses(state, row, 1);
  }
  if (state.rows(removalTable).get(programId) !== undefined) startRemoval(state, programId, position);
};

/** A mutation writes the program after its items, so the items are those after the mutation. */
function completeStacked(state: StateWriter, programId: string, position: number): void {
  const row = stackedAt(state, programId, position);
  if (row === undefined) return;
  const items = row.items.map((each) => ({ ...each, after: currentHash(state, programId, each.item) }));
  state.rows(stackTable).put({ ...row, items });
}

/** A deleted program has nothing to undo. */
function forgetProgram(state: StateWriter, programId: string): void {
  const stacks = state.rows(stackTable);
  for (const row of stacks.scan("position", { prefix: `${programId}${gap}`, limit: Infinity }))
    stacks.delete(stackTable.key(row));
}

function startRemoval(state: StateWriter, programId: string, position: number): void {
  const isEmpty = state.rows(itemTable).scan("subject", { prefix: itemPath(programId, ""), limit: 1 }).length === 0;
  if (isEmpty) state.rows(removalTable).delete(programId);
  else state.rows(removalTable).put({ programId, position });
}

interface MutatedData {
  readonly what: "mutate" | "undo" | "redo" | "import";
  readonly of?: number;
  readonly items?: readonly { readonly item: string; readonly change: string }[];
  readonly set?: string;
}

function programOf({ subject }: Event): string {
  return parseSubject(subject)?.programId ?? "";
}

/**
 * A mutation can be undone. An undo can be redone. A new mutation empties the list of what can be redone. The event
 * precedes the writes, so the items are still those before the mutation. The write of the program completes the row.
 */
const stackMutation: Fold = (state, event, entry) => {
  const { agent, position } = entry;
  if (agent === undefined) return;
  const programId = programOf(event);
  const { what, of, items, set } = event.data as unknown as MutatedData;
  // The data of an erased entry is gone, and no stack needs it.
  if (items === undefined) return;
  const stacks = state.rows(stackTable);
  const remove = (row: StackRow): void => {
    stacks.delete(stackTable.key(row));
  };
  const touched = set ?? setOf(replacedItems(items));
  state.rows(triesTable).delete(triesKey({ agent, programId, set: touched }));
  if (what === "mutate" || what === "import") stackOf(state, { agent, programId, side: "redo" }).forEach(remove);
  const undone = [...stackOf(state, { agent, programId, side: what === "undo" ? "undo" : "redo" })];
  if (what === "undo" || what === "redo") undone.filter((row) => row.position === of).forEach(remove);
  const side = what === "undo" ? "redo" : "undo";
  const kept = items.map(({ item }): StackedItem => {
    const before = currentHash(state, programId, item);
    const row = findEntity(state, { type: programType, id: `${programId}/${item}` });
    return { item, before, after: null, base: before === null ? null : (row?.base ?? null) };
  });
  const isStructural = items.some(({ item, change }) => change !== "changed" || !item.startsWith("function/"));
  stacks.put({ agent, programId, side, position, items: kept, isStructural });
  stackOf(state, { agent, programId, side }).slice(stackDepth).forEach(remove);
};

/** Only the first conflict of a mutation names the set, so a mutation counts once. */
const countConflict: Fold = (state, event, { agent, time }) => {
  const { set } = event.data as { readonly set?: string };
  if (agent === undefined || set === undefined) return;
  const rows = state.rows(triesTable);
  for (const row of rows.scan("time", { limit: outdatedMax }))
    if (row.time + triesMs <= time) rows.delete(triesKey(row));
  const of = { agent, programId: programOf(event), set };
  rows.put({ ...of, count: (rows.get(triesKey(of))?.count ?? 0) + 1, time });
};

/** An ended agent undoes nothing, and its conflicts are forgotten. */
const forgetAgent: Fold = (state, { subject }: Event, _entry: FoldedEntry) => {
  const prefix = `${subject.slice(subject.indexOf("/") + 1)}${gap}`;
  const stacks = state.rows(stackTable);
  for (const row of stacks.scan("top", { prefix, limit: Infinity })) stacks.delete(stackTable.key(row));
  const tries = state.rows(triesTable);
  for (const row of tries.scan("agent", { prefix, limit: Infinity })) tries.delete(triesKey(row));
};

export const programFolds: Readonly<Record<string, Fold>> = {
  "entity.created": updateItem,
  "entity.replaced": updateItem,
  "entity.merged": updateItem,
  "entity.patched": updateItem,
  "entity.deleted": updateItem,
  "program.mutated": stackMutation,
  "program.hash_conflict": countConflict,
  "agent.ended": forgetAgent,
};
