import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { findEntity, isLive } from "../../../features/entities/entity-table.ts";
import { holderView } from "../../../features/locks/queue/deny.ts";
import { gap as lockGap, holdTable } from "../../../features/locks/tables/lock-tables.ts";
import { modes } from "../../../features/locks/tables/modes.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import { gap, itemTable, nameKey, namePrefix, userCountTable } from "../../../packs/programs/item-tables.ts";
import type { ItemRow } from "../../../packs/programs/item-tables.ts";
import { definitionOf } from "../../../packs/programs/language/pack.ts";
import { printTypeDefinition } from "../../../packs/programs/language/print-functions.ts";
import type { FunctionValue, TypeValue } from "../../../packs/programs/language/function-value.ts";
import { findProgram, itemPath, programType } from "../../../packs/programs/program-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { functionContent } from "./function-content.ts";
import type { FunctionView } from "./function-content.ts";
import { signatureOf } from "./get-function.ts";
import { stateNames } from "./state-names.ts";

const pageSize = 100;

/** Maximum holders that a list shows for each function. */
const holdersMax = 10;

/** Maximum nodes that one page prints, at least one function. 10,000 nodes take 5 to 10 ms of the main thread. */
const shownNodesMax = 10_000;

interface ListFunctionsInput {
  readonly program_id: string;
  readonly module_id?: string;
  readonly name?: string;
  readonly function_ids?: readonly string[];
  readonly view?: FunctionView;
  readonly ids?: boolean;
  readonly after?: string;
  readonly limit?: number;
}

const unknownProgram = (id: string) => refusal("programs.not_found", { kind: "program", id, nearest: [] });

export const listFunctions: AppRead = {
  view: "scan",
  run(input: ListFunctionsInput, { state }) {
    const { program_id: programId, function_ids, name = "", view, limit = pageSize } = input;
    if (findProgram(state, programId) === undefined) return unknownProgram(programId);
    const missing = function_ids?.find((id) => functionRow(state, programId, id) === undefined);
    if (missing !== undefined) return refusal("programs.not_found", { kind: "function", id: missing, nearest: [] });
    const rows = candidates(state, input, limit + 1);
    const size = view === undefined ? limit : Math.min(limit, printable(state, rows));
    const page = rows.slice(0, size);
    const last = page.at(-1);
    const next = rows.length > size && last !== undefined ? `${last.module}/${last.name}/${last.id}` : null;
    const items = page.filter((row) => row.name.startsWith(name)).map((row) => listedFunction(state, row, input));
    return done({ items, next });
  },
};

function functionRow(state: StateReader, programId: string, id: string): ItemRow | undefined {
  return state.rows(itemTable).get(itemPath(programId, `function/${id}`));
}

/** The next functions in the order of the list: module, name, id. */
function candidates(state: StateReader, input: ListFunctionsInput, limit: number): readonly ItemRow[] {
  const { program_id: programId, module_id, name = "", function_ids, after: last } = input;
  const all = namePrefix(programId, "function");
  const prefix = module_id === undefined ? all : `${all}${module_id}${gap}${name}`;
  const after = last === undefined ? undefined : `${all}${last.replaceAll("/", gap)}`;
  if (function_ids === undefined) return state.rows(itemTable).scan("name", { prefix, after, limit });
  const named = new Map<string, ItemRow>();
  for (const id of function_ids) {
    const row = functionRow(state, programId, id);
    if (row !== undefined) named.set(nameKey(row), row);
  }
  const keys = [...named.keys()].filter((key) => key.startsWith(prefix) && (after === undefined || key > after));
  return keys
    .sort()
    .slice(0, limit)
    .flatMap((key) => named.get(key) ?? []);
}

/** The number of functions, from the first one, that one page can print. */
function printable(state: StateReader, rows: readonly ItemRow[]): number {
  let nodes = 0;
  const end = rows.findIndex((row, index) => {
    nodes += valueOf(state, row)?.nodes ?? 0;
    return nodes > shownNodesMax && index > 0;
  });
  return end < 0 ? rows.length : end;
}

function valueOf(state: StateReader, { programId, id }: ItemRow): FunctionValue | undefined {
  const row = findEntity(state, { type: programType, id: `${programId}/function/${id}` });
  return isLive(row) ? (row.value as unknown as FunctionValue) : undefined;
}

function listedFunction(state: StateReader, of: ItemRow, { view, ids = false }: ListFunctionsInput): JsonObject {
  const { programId, id, name, module, subject } = of;
  const row = findEntity(state, { type: programType, id: `${programId}/function/${id}` });
  const value = valueOf(state, of);
  const names = stateNames(state, programId);
  return defined({
    ...{ function_id: id, name, module_id: module, signature: signatureOf(state, programId, id) ?? "" },
    ...{ hash: value?.hash ?? "", version: row?.version ?? 0, nodes: value?.nodes ?? 0 },
    callers: state.rows(userCountTable).get(subject)?.users ?? 0,
    holders: holdersAt(state, subject),
    ...(value && view && functionContent(value, { names, view, ids })),
  });
}

function holdersAt(state: StateReader, path: string): readonly JsonObject[] {
  const holds = modes.flatMap((mode) =>
    state.rows(holdTable).scan(mode, { prefix: `${path}${lockGap}`, limit: holdersMax }),
  );
  return holds.slice(0, holdersMax).map((row) => {
    const { owner_id = "", mode = "", purpose = null } = holderView(state, row);
    return { owner_id, mode, purpose };
  });
}

interface ListTypesInput {
  readonly program_id: string;
  readonly after?: string;
  readonly limit?: number;
}

export const listTypes: AppRead = {
  view: "scan",
  run({ program_id: programId, after, limit = pageSize }: ListTypesInput, { state }) {
    if (findProgram(state, programId) === undefined) return unknownProgram(programId);
    const prefix = itemPath(programId, "type/");
    const from = after === undefined ? undefined : `${prefix}${after}`;
    const rows = state.rows(itemTable).scan("subject", { prefix, after: from, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
    return done({ items: page.map(({ id }) => shownType(state, programId, id) ?? {}), next });
  },
};

export const getType: AppRead = {
  view: "scan",
  run({ program_id: programId, type_id: id }: { program_id: string; type_id: string }, { state }) {
    const shown = shownType(state, programId, id);
    return shown === undefined ? refusal("programs.not_found", { kind: "type", id, nearest: [] }) : done(shown);
  },
};

function shownType(state: StateReader, programId: string, id: string): JsonObject | undefined {
  const row = findEntity(state, {
    type: programType,
    id: itemPath(programId, `type/${id}`).slice(programType.length + 1),
  });
  if (!isLive(row)) return undefined;
  const value = row.value as unknown as TypeValue;
  const options = { names: stateNames(state, programId), module: value.module };
  const { text } = printTypeDefinition(definitionOf(id, value), options);
  return { type_id: id, name: value.name, module_id: value.module, hash: value.hash, version: row.version, text };
}
