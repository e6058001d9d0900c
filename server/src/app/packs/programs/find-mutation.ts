/** Checks a mutation on a snapshot of a program and describes everything that the result depends on. */
import { defined } from "@holdfast/sdk/base/defined";
import { checkProgram } from "../../../packs/programs/language/check/verdict.ts";
import { checkName } from "../../../packs/programs/language/check/verdict.ts";
import type { ProgramCheckResult } from "../../../packs/programs/language/check/verdict.ts";
import type { CheckCaches } from "../../../packs/programs/language/check/check-caches.ts";
import type { Diagnostic } from "../../../packs/programs/language/diagnostic.ts";
import { ProgramDraft } from "../../../packs/programs/language/draft.ts";
import type { HashContent } from "../../../packs/programs/language/hash.ts";
import { importText } from "../../../packs/programs/language/import-text.ts";
import type { Pause } from "../../../packs/programs/language/run/frame.ts";
import type { ItemKind, ProgramScope } from "../../../packs/programs/language/program-scope.ts";
import { applySteps } from "../../../packs/programs/language/steps/apply-steps.ts";
import type { CreatedItem, NextIds, ProgramStep } from "../../../packs/programs/language/steps/step-context.ts";
import { readsMax } from "../../../packs/programs/mutation-findings.ts";
import type { ItemWrite, MutationFindings, WantedMutation } from "../../../packs/programs/mutation-findings.ts";
import { hashOfItem, markLength, markOf } from "../../../packs/programs/program-value.ts";
import type { ItemValue } from "../../../packs/programs/program-value.ts";
import type { ProgramSnapshot } from "./program-unit.ts";

export interface CheckTools {
  readonly hash: HashContent;
  readonly caches: CheckCaches;
  /** Called during long executions. */
  readonly pause?: Pause | undefined;
}

interface ChangedProgram {
  readonly draft: ProgramDraft;
  readonly created: readonly CreatedItem[];
  readonly next: NextIds;
}

/** Maximum characters of the errors of a refusal, which is recorded under a key. */
const errorsMax = 32_768;

export function* findMutation(
  { scope, program }: ProgramSnapshot,
  wanted: WantedMutation,
  tools: CheckTools,
): Generator<
  void,
  { readonly findings: MutationFindings; readonly result?: ProgramCheckResult; readonly draft?: ProgramDraft }
> {
  const { settings, structure, chain, next } = program;
  const common = { check: checkName, structure, settings: { cases: settings.cases, steps: settings.steps } };
  const touched = wanted.kind === "steps" ? wanted.touched : [];
  const changed = changedProgram(scope, wanted, { next, hash: tools.hash });
  if (Array.isArray(changed)) {
    const errors = bounded(changed as readonly Diagnostic[]);
    const bases = basesOf(scope, touched);
    return { findings: { ...common, ...nothingWritten, bases, errors, is_invalid: true } };
  }
  const { draft, created, next: nextIds } = changed as ChangedProgram;
  const writes = writesOf(scope, draft);
  const ids = (kind: ItemKind): readonly string[] =>
    writes.filter(({ item }) => item.startsWith(`${kind}/`)).map(({ item }) => item.slice(kind.length + 1));
  const changedIds = { functions: ids("function"), types: ids("type") };
  const result = yield* checkProgram({ scope: draft, changed: changedIds, settings, ...tools });
  const { errors: found, ...verdict } = result.verdict;
  const errors = [...danglingModules(draft, writes), ...found];
  const isAccepted = verdict.ok && errors.length === 0;
  const read = readsOf(scope, result, changedIds);
  const isStructural = writes.some((write) => isStructureWrite(scope, write));
  const marks = writes.map(({ item, value }) => [item, value === null ? null : hashOfItem(value)]);
  const chained = (before: string): string => {
    const hash = tools.hash(`${before}\n${JSON.stringify(marks)}`);
    return Buffer.from(hash.slice(0, markLength), "hex").toString("base64url");
  };
  const findings: MutationFindings = {
    ...common,
    ...defined({ next_structure: isStructural ? chained(structure) : undefined }),
    ...defined({ chain: read.reads === "all" ? chain : undefined }),
    ...read,
    bases: basesOf(scope, [...touched, ...writes.map(({ item }) => item)]),
    writes: isAccepted ? writes : [],
    created: isAccepted ? created : [],
    ...defined({ next: isAccepted && isMinted(next, nextIds) ? nextIds : undefined }),
    ...defined({ next_chain: isAccepted && writes.length > 0 ? chained(chain) : undefined }),
    new_calls: newCalls(scope, writes),
    types: typesAbove(scope, changedIds.types),
    verdict: { ...verdict, ok: isAccepted },
    errors: bounded(errors),
    is_invalid: false,
  };
  return { findings, result, draft };
}

const isMinted = (before: NextIds, after: NextIds): boolean =>
  (["f", "t", "m"] as const).some((letter) => before[letter] !== after[letter]);

/** The findings about steps that cannot be applied. */
const nothingWritten = {
  ...{ reads: {}, users: {}, writes: [], created: [], new_calls: [], types: [] },
  ...{
    verdict: {
      ...{ check: checkName, ok: false, too_large: false },
      ...{ checked: 0, tested: 0, untested: 0, cases: 0, steps: 0, warnings: 0 },
    },
  },
};

/** The draft after the change, or the reasons why a step cannot be applied. */
function changedProgram(
  scope: ProgramScope,
  wanted: WantedMutation,
  { next, hash }: { readonly next: NextIds; readonly hash: HashContent },
): ChangedProgram | readonly Diagnostic[] {
  if (wanted.kind === "restore") {
    const draft = new ProgramDraft(scope);
    for (const { item, value } of wanted.writes) setItem(draft, item, value);
    return { draft, created: [], next };
  }
  const steps = wanted.kind === "steps" ? (wanted.steps as readonly ProgramStep[]) : importedSteps(wanted.text);
  if ("error" in steps) return [steps.error];
  const applied = applySteps(scope, steps, { next, hash, isImport: wanted.kind === "import" });
  if (applied.diagnostics !== undefined) return applied.diagnostics;
  return { ...applied, next: nextAfter(applied.next, applied.created) };
}

function importedSteps(text: string): readonly ProgramStep[] | { readonly error: Diagnostic } {
  const { steps, error } = importText(text);
  if (error === undefined) return steps;
  const { line, message } = error;
  const place = { function_id: null, node_id: null, line, column: 1 };
  return { error: { code: "syntax.unexpected", severity: "error", ...place, message } };
}

/** A chosen id such as `f7` is never minted later, also if its item is removed. */
function nextAfter(next: NextIds, created: readonly CreatedItem[]): NextIds {
  const numbers = { ...next };
  for (const { kind, id } of created) {
    const letter = kind[0] as keyof NextIds;
    const number = kind === "node" ? undefined : new RegExp(`^${letter}([1-9][0-9]{0,8})$`, "u").exec(id)?.[1];
    if (number !== undefined) numbers[letter] = Math.max(numbers[letter], Number(number) + 1);
  }
  return numbers;
}

function setItem(draft: ProgramDraft, item: string, value: ItemValue | null): void {
  const at = item.indexOf("/");
  const kind = item.slice(0, at) as ItemKind;
  draft.set(kind, item.slice(at + 1), value ?? undefined);
}

export function valueIn(scope: ProgramScope, item: string): ItemValue | undefined {
  const at = item.indexOf("/");
  return scope[item.slice(0, at) as ItemKind](item.slice(at + 1));
}

/** The items that differ. Modules come first, then types, then functions. */
function writesOf(scope: ProgramScope, draft: ProgramDraft): readonly ItemWrite[] {
  return (["module", "type", "function"] as const).flatMap((kind) =>
    [...draft.changed(kind)].flatMap(([id, value]): readonly ItemWrite[] => {
      const item = `${kind}/${id}`;
      const before = valueIn(scope, item);
      const isSame = JSON.stringify(before ?? null) === JSON.stringify(value ?? null);
      return isSame ? [] : [{ item, value: value ?? null }];
    }),
  );
}

function basesOf(scope: ProgramScope, items: readonly string[]): Readonly<Record<string, string | null>> {
  const sorted = [...new Set(items)].sort();
  return Object.fromEntries(
    sorted.map((item) => {
      const value = valueIn(scope, item);
      return [item, value === undefined ? null : markOf(value)];
    }),
  );
}

function isStructureWrite(scope: ProgramScope, { item, value }: ItemWrite): boolean {
  const before = valueIn(scope, item);
  if (before?.kind !== "function" || value?.kind !== "function") return true;
  return before.name !== value.name || before.module !== value.module;
}

interface ChangedIds {
  readonly functions: readonly string[];
  readonly types: readonly string[];
}

function readsOf(
  scope: ProgramScope,
  { reads, callers, types }: ProgramCheckResult,
  changed: ChangedIds,
): Pick<MutationFindings, "reads" | "users"> {
  const users: Record<string, number> = {};
  for (const id of callers)
    if (scope.function(id) !== undefined)
      users[`function/${id}`] = scope.callersOf(id).length + scope.typesCalling(id).length;
  for (const id of new Set([...changed.types, ...types]))
    if (scope.type(id) !== undefined) users[`type/${id}`] = scope.usersOf(id).length + scope.containersOf(id).length;
  const isMany = Object.keys(reads).length > readsMax || Object.keys(users).length > readsMax;
  return isMany ? { reads: "all", users: {} } : { reads, users };
}

/** Functions that a written item calls and did not call before, apart from those that are written. */
function newCalls(scope: ProgramScope, writes: readonly ItemWrite[]): readonly string[] {
  const written = new Set(writes.map(({ item }) => item));
  const found = new Set<string>();
  for (const { item, value } of writes) {
    if (value === null || value.kind === "module") continue;
    const before = valueIn(scope, item);
    const known = new Set(before === undefined || before.kind === "module" ? [] : before.calls);
    for (const id of value.calls) if (!known.has(id) && !written.has(`function/${id}`)) found.add(id);
  }
  return [...found].filter((id) => scope.function(id) !== undefined).sort();
}

/** Types and all types that contain them. */
function typesAbove(scope: ProgramScope, types: readonly string[]): readonly string[] {
  const found = new Set(types.filter((id) => scope.type(id) !== undefined));
  for (const id of found) for (const container of scope.containersOf(id)) found.add(container);
  return [...found].sort();
}

/** Items whose module does not exist after the change. Steps find them first; only an undo can cause them. */
function danglingModules(draft: ProgramDraft, writes: readonly ItemWrite[]): readonly Diagnostic[] {
  const removed = new Set(
    writes.filter(({ item, value }) => item.startsWith("module/") && value === null).map(({ item }) => item.slice(7)),
  );
  const homes = [
    ...(removed.size === 0 ? [] : [...draft.functionIds()].map((id) => ["function", id] as const)),
    ...(removed.size === 0 ? [] : [...draft.typeIds()].map((id) => ["type", id] as const)),
    ...writes.flatMap(({ item, value }) =>
      value === null || value.kind === "module" ? [] : [[value.kind, item.slice(value.kind.length + 1)] as const],
    ),
  ];
  const dangling = homes.filter(([kind, id]) => {
    const home = draft[kind](id)?.module;
    return home !== undefined && draft.module(home) === undefined;
  });
  return dangling.map(([, id]) => ({
    ...{ code: "graph.dangling", severity: "error", function_id: id, node_id: null, line: 1, column: 1 },
    message: "The module of this item does not exist",
  }));
}

/** At least one finding. The values and texts of a very large one are left out. */
function bounded(errors: readonly Diagnostic[]): readonly Diagnostic[] {
  let characters = 0;
  return errors
    .slice(0, 50)
    .map((error, index) => (index === 0 && JSON.stringify(error).length > errorsMax ? withoutValues(error) : error))
    .filter((error, index) => {
      characters += JSON.stringify(error).length;
      return index === 0 || characters <= errorsMax;
    });
}

/** Maximum characters of a text of a finding whose values are left out. */
const findingTextMax = 2_000;

function withoutValues({ inputs: _inputs, result: _result, ...error }: Diagnostic): Diagnostic {
  const members = Object.entries(error).map(([name, member]) => [
    name,
    typeof member === "string" ? member.slice(0, findingTextMax).toWellFormed() : member,
  ]);
  return Object.fromEntries(members) as Diagnostic;
}
