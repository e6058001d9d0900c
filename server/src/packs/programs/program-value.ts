/** The entities of a program. Every item is an entity at the path of its lock: `program/{pid}/function/{fid}`. */
import type { program } from "@holdfast/sdk/contract";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import type { LiveEntityRow } from "../../features/entities/entity-table.ts";
import type { StateReader } from "../../machine/state.ts";
import type { FunctionValue, ModuleValue, ProgramSettings, TypeValue } from "./language/function-value.ts";
import type { ItemKind } from "./language/program-scope.ts";
import type { NextIds } from "./language/steps/step-context.ts";

export interface ProgramCounts {
  readonly functions: number;
  readonly types: number;
  readonly modules: number;
  readonly nodes: number;
}

export interface ProgramValue {
  readonly kind: "program";
  readonly name: string;
  readonly description?: string;
  readonly settings: ProgramSettings;
  /** Names the history of all structure changes: equal texts have seen the same changes in the same order. */
  readonly structure: string;
  /** Names the history of all mutations. */
  readonly chain: string;
  readonly counts: ProgramCounts;
  /** Numbers of the next minted ids. */
  readonly next: NextIds;
}

export type ItemValue = FunctionValue | TypeValue | ModuleValue;

/** Not taken from the contract: the thread of checks would load the contract for it, which takes most of its start. */
export const programType: typeof program.type = "program";

/** `function/f1`, `type/t1` or `module/m1`. */
type ItemName = string;

export const programPath = (programId: string): string => `${programType}/${programId}`;
export const itemPath = (programId: string, item: ItemName): string => `${programType}/${programId}/${item}`;

interface ParsedSubject {
  readonly programId: string;
  readonly item?: { readonly name: ItemName; readonly kind: ItemKind; readonly id: string };
}

const pattern = /^program\/([^/]+)(?:\/((function|type|module)\/([^/]+)))?$/u;

/** The program and the item of a subject; undefined for a subject of another type. */
export function parseSubject(subject: string): ParsedSubject | undefined {
  // Every change of any entity asks, and few are about programs.
  const match = subject.startsWith(`${programType}/`) ? pattern.exec(subject) : null;
  if (match === null) return undefined;
  const [, programId = "", name, kind, id = ""] = match;
  return name === undefined ? { programId } : { programId, item: { name, kind: kind as ItemKind, id } };
}

/** A program with its row. */
export interface FoundProgram {
  readonly row: LiveEntityRow;
  readonly value: ProgramValue;
}

export function findProgram(state: StateReader, programId: string): FoundProgram | undefined {
  const row = findEntity(state, { type: programType, id: programId });
  return isLive(row) ? { row, value: row.value as unknown as ProgramValue } : undefined;
}

export function findItem(state: StateReader, programId: string, item: ItemName): ItemValue | undefined {
  const row = findEntity(state, { type: programType, id: `${programId}/${item}` });
  // A fold finds no value between an erased entry and the next whole value.
  return isLive(row) && row.isErased !== true ? (row.value as unknown as ItemValue) : undefined;
}

/** The text that names the content of an item. A module is small, so it is named by its content itself. */
export function hashOfItem(value: ItemValue): string {
  return value.kind === "module" ? JSON.stringify([value.name, value.parent]) : value.hash;
}

/** Digits of a mark. 128 bits: an agent must not be able to make two versions that look the same to a check. */
export const markLength = 32;

/** Names the content of an item to a check. */
export function markOf(value: ItemValue): string {
  return value.kind === "module" ? hashOfItem(value) : value.hash.slice(0, markLength);
}

export function currentHash(state: StateReader, programId: string, item: ItemName): string | null {
  const value = findItem(state, programId, item);
  return value === undefined ? null : hashOfItem(value);
}

/** The items that a value names: `function/f1`, `type/t1`. */
export function usedItems(value: ItemValue): readonly string[] {
  if (value.kind === "module") return [];
  return [...value.calls.map((id) => `function/${id}`), ...value.types.map((id) => `type/${id}`)];
}
