import type { DecideContext, Decision } from "../../machine/feature.ts";
import { findEntity } from "../../features/entities/entity-table.ts";
import { refusal } from "../../machine/refusal.ts";
import { stackOf } from "./stack-table.ts";
import type { StackedItem, StackRow } from "./stack-table.ts";
import { actorOf, decideMutation, existingProgram } from "./mutation.ts";
import type { ItemWrite } from "./mutation-findings.ts";
import { currentHash, findItem, hashOfItem, programType } from "./program-value.ts";
import type { ItemValue } from "./program-value.ts";

interface UndoInput {
  readonly program_id: string;
  readonly mutation: number;
  readonly expected_hashes: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly release?: boolean;
  readonly fence?: string;
  /** The values before the mutation, which the server reads from history. */
  readonly restored?: readonly { readonly item: string; readonly value: unknown }[];
}

export const undoMutation = (input: UndoInput, context: DecideContext): Decision => restore("undo", input, context);
export const redoMutation = (input: UndoInput, context: DecideContext): Decision => restore("redo", input, context);

/**
 * Returns every item that a mutation changed to its version before it. It is a mutation like any other. If an item has
 * another hash than the mutation left, another change built on it, and nothing is undone.
 */
function restore(side: "undo" | "redo", input: UndoInput, context: DecideContext): Decision {
  const { program_id: programId, mutation, description, fence } = input;
  const actor = actorOf(context, fence);
  if ("outcome" in actor) return actor;
  const program = existingProgram(context, programId);
  if ("outcome" in program) return program;
  const [newest] = stackOf(context.state, { agent: actor.owner, programId, side });
  if (newest?.position !== mutation)
    return refused("programs.nothing_to_undo", { side, newest: newest?.position ?? null });
  const writes = writesOf(newest, input);
  const blocked = writes === undefined ? outdated(mutation) : changedSince(context, programId, newest);
  if (blocked !== undefined || writes === undefined) return blocked ?? outdated(mutation);
  const { items } = newest;
  return decideMutation(
    {
      ...{ programId, what: side, of: mutation, expected: input.expected_hashes, description, fence },
      touched: items.filter(({ after }) => after !== null).map(({ item }) => item),
      isStructural: writes.some((write) => isStructural(context, programId, write)),
      concerned: concernedBy(context, programId, writes),
      needsProgramLock: false,
      release: input.release === true,
      wanted: { kind: "restore", writes },
    },
    context,
  );
}

/** The values to restore, if each of them is the one that the mutation replaced. */
function writesOf({ items }: StackRow, { restored = [] }: UndoInput): readonly ItemWrite[] | undefined {
  const writes = items.map(({ item, before }): ItemWrite | undefined => {
    const found = restored.find((each) => each.item === item);
    const value = (found?.value ?? null) as ItemValue | null;
    const hash = value === null ? null : hashOfItem(value);
    return found === undefined || hash !== before ? undefined : { item, value };
  });
  return writes.every((write) => write !== undefined) ? writes : undefined;
}

const refused = (code: string, data: Parameters<typeof refusal>[1]): Decision => ({
  outcome: refusal(code, data),
  events: [],
});

const outdated = (mutation: number): Decision =>
  refused("programs.undo_blocked", { mutation, reason: "the history of the mutation was archived or erased" });

function changedSince({ state }: DecideContext, programId: string, { items }: StackRow): Decision | undefined {
  const changed = items.find(({ item, after }: StackedItem) => currentHash(state, programId, item) !== after);
  if (changed === undefined) return undefined;
  const { item } = changed;
  const row = findEntity(state, { type: programType, id: `${programId}/${item}` });
  return refused("programs.undo_blocked", {
    item,
    reason: "another change built on it",
    agent: row?.agent ?? null,
    changed_at: row === undefined ? null : new Date(row.time).toISOString(),
  });
}

/** A structure change adds, removes, renames or moves an item, or changes a type or a module. */
function isStructural({ state }: DecideContext, programId: string, { item, value }: ItemWrite): boolean {
  const before = findItem(state, programId, item);
  if (before?.kind !== "function" || value?.kind !== "function") return true;
  return before.name !== value.name || before.module !== value.module;
}

function concernedBy(context: DecideContext, programId: string, writes: readonly ItemWrite[]) {
  const functions = writes.filter(
    (write) =>
      write.item.startsWith("function/") &&
      findItem(context.state, programId, write.item) !== undefined &&
      isStructural(context, programId, write),
  );
  const modules = writes.filter(({ item }) => item.startsWith("module/")).map(({ item }) => item.slice(7));
  return { functions: functions.map(({ item }) => item.slice(9)), modules: new Set(modules) };
}
