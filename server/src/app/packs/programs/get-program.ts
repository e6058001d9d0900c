/** Reads of programs themselves: list, get, what an agent can undo, and the accepted mutations. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { authorOf, entityTable, revisionOf } from "../../../features/entities/entity-table.ts";
import type { Entry, Outcome } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import { stackOf } from "../../../packs/programs/stack-table.ts";
import type { StackRow } from "../../../packs/programs/stack-table.ts";
import { itemTable } from "../../../packs/programs/item-tables.ts";
import { grammarText } from "../../../packs/programs/language/grammar-text.ts";
import { currentHash, findProgram, itemPath, programPath } from "../../../packs/programs/program-value.ts";
import type { FoundProgram } from "../../../packs/programs/program-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { selectedEvents, subjectHistory } from "../../reads/subject-history.ts";

const pageSize = 100;

interface ProgramInput {
  readonly program_id: string;
}

function shownProgram({ row, value }: FoundProgram): JsonObject {
  const { name, description, settings, counts } = value;
  const shown = { settings: { ...settings }, counts: { ...counts }, version: row.version, revision: revisionOf(row) };
  return defined({
    ...{ program_id: row.id, name, description, ...shown },
    ...{ changed_at: new Date(row.time).toISOString(), changed_by: authorOf(row), position: row.position },
  });
}

const unknownProgram = (id: string): Outcome => refusal("programs.not_found", { kind: "program", id, nearest: [] });

/** Steps from program to program, so the items in between are not read. */
export const listPrograms: AppRead = {
  view: "scan",
  run({ after, limit = pageSize }: { readonly after?: string; readonly limit?: number }, { state }) {
    const found: FoundProgram[] = [];
    const rows = state.rows(entityTable);
    let from = after === undefined ? programPath("") : `${programPath(after)}/\uffff`;
    while (found.length <= limit) {
      const [row] = rows.scan("subject", { prefix: programPath(""), after: from, limit: 1 });
      if (row === undefined) break;
      const program = findProgram(state, row.id);
      const isItem = row.id.includes("/");
      if (!isItem && program !== undefined) found.push(program);
      from = isItem ? `${programPath(row.id.split("/")[0] ?? "")}/\uffff` : row.subject;
    }
    const page = found.slice(0, limit);
    return done({ items: page.map(shownProgram), next: found.length > limit ? (page.at(-1)?.row.id ?? null) : null });
  },
};

/** Maximum modules of a program. */
const modulesMax = 1_000;

export const getProgram: AppRead = {
  view: "scan",
  run({ program_id: id }: ProgramInput, { state }) {
    const program = findProgram(state, id);
    if (program === undefined) return unknownProgram(id);
    const rows = state.rows(itemTable).scan("subject", { prefix: itemPath(id, "module/"), limit: modulesMax });
    const modules = rows.map((row) => ({
      ...{ module_id: row.id, name: row.name, parent: row.module === "" ? null : row.module },
    }));
    return done({ ...shownProgram(program), modules });
  },
};

export const getUndo: AppRead = {
  view: "scan",
  run({ program_id: programId }: ProgramInput, { state, agent }) {
    if (findProgram(state, programId) === undefined) return unknownProgram(programId);
    if (agent === undefined) return refusal("agent_required", {});
    const undo = stackOf(state, { agent, programId, side: "undo" });
    const redo = stackOf(state, { agent, programId, side: "redo" });
    const shown = (row: StackRow | undefined): Json => (row === undefined ? null : shownStack(state, row));
    return done({
      ...{ undo: shown(undo[0]), redo: shown(redo[0]) },
      ...{ undo_count: undo.length, redo_count: redo.length },
    });
  },
};

function shownStack(state: StateReader, { programId, position, items, isStructural }: StackRow): Json {
  return {
    mutation: position,
    items: items.map(({ item, after }) => ({
      ...{ item, hash: after, current_hash: currentHash(state, programId, item) },
    })),
    write: items
      .filter(({ item, after }) => item.startsWith("function/") && after !== null)
      .map(({ item }) => item.slice(9)),
    structure: isStructural,
  };
}

interface ListMutationsInput extends ProgramInput {
  readonly before?: number;
  readonly limit?: number;
}

export const listMutations: AppRead = {
  view: "keys",
  async run({ program_id: id, before, limit = pageSize }: ListMutationsInput, { services: { engine } }) {
    const isSelected = (type: string): boolean => type === "program.mutated";
    const query = { subject: programPath(id), before, limit, isSelected };
    const { entries, next } = await subjectHistory(engine, query);
    const isKnown = entries.length > 0 || (await engine.read((state) => findProgram(state, id))) !== undefined;
    if (!isKnown) return unknownProgram(id);
    const items = entries.flatMap((entry) =>
      selectedEvents(entry, query).map(({ data }) => shownMutation(id, entry, data)),
    );
    return done({ items, next });
  },
};

/** The versions are in the events of the entities, and the hashes are in the outcome of the same entry. */
function shownMutation(programId: string, entry: Entry, data: JsonObject): JsonObject {
  const written = entry.events.filter(({ type }) => type.startsWith("entity."));
  const versions = new Map(written.map((event) => [event.subject, event.data["version"] ?? 0]));
  const { what = "", of, description } = data;
  const hashes = hashesOf(entry);
  const items = ((data["items"] ?? []) as readonly { readonly item: string; readonly change: string }[]).map(
    ({ item, change }) => ({
      ...{ item, change, hash: hashes.get(item) ?? null, version: versions.get(itemPath(programId, item)) ?? 0 },
    }),
  );
  const version = versions.get(programPath(programId)) ?? 0;
  const time = new Date(entry.time).toISOString();
  return defined({
    ...{ position: entry.position, time, by: authorOf(entry), what, of, version, description, items },
  });
}

interface MutationOutcome {
  readonly functions?: readonly { readonly function_id: string; readonly hash: string | null }[];
  readonly types?: readonly { readonly type_id: string; readonly hash: string | null }[];
}

/** The hashes after a mutation, by item. */
function hashesOf({ outcome }: Entry): ReadonlyMap<string, string | null> {
  const { functions = [], types = [] } = outcome.data as MutationOutcome;
  return new Map([
    ...functions.map((each) => [`function/${each.function_id}`, each.hash] as const),
    ...types.map((each) => [`type/${each.type_id}`, each.hash] as const),
  ]);
}

export const getGrammar: AppRead = { view: "keys", run: () => done({ text: grammarText }) };
