import assert from "node:assert/strict";
import { startBlake3 } from "../../server/src/base/blake3.ts";
import { newCheckCaches, type CheckCaches } from "../../server/src/packs/programs/language/check/check-caches.ts";
import {
  checkProgram,
  type ProgramCheckResult,
  finish,
} from "../../server/src/packs/programs/language/check/verdict.ts";
import type { ProgramDraft } from "../../server/src/packs/programs/language/draft.ts";
import { ProgramRows, type ProgramScope } from "../../server/src/packs/programs/language/program-scope.ts";
import {
  defaultSettings,
  type FunctionValue,
  type ProgramSettings,
} from "../../server/src/packs/programs/language/function-value.ts";
import { applySteps } from "../../server/src/packs/programs/language/steps/apply-steps.ts";
import type { ProgramStep } from "../../server/src/packs/programs/language/steps/step-context.ts";

export const hash = await startBlake3();

export function emptyProgram(): ProgramRows {
  const rows = new ProgramRows();
  rows.set("module", "m0", { kind: "module", name: "main", parent: null });
  return rows;
}

/** Writes the changed rows of a draft into the program. */
export function commit(rows: ProgramRows, draft: ProgramDraft): void {
  for (const [id, value] of draft.changed("module")) rows.set("module", id, value);
  for (const [id, value] of draft.changed("type")) rows.set("type", id, value);
  for (const [id, value] of draft.changed("function")) rows.set("function", id, value);
}

export function draftOf(rows: ProgramScope, steps: readonly ProgramStep[], isImport = false): ProgramDraft {
  const applied = applySteps(rows, steps, { next: { f: 1, t: 1, m: 1 }, hash, isImport });
  assert.equal(applied.diagnostics, undefined, JSON.stringify([applied.diagnostics, steps], null, 1));
  return applied.draft;
}

/** Applies steps without a check, and without the limits of a mutation. */
export function mutated(rows: ProgramRows, steps: readonly ProgramStep[]): ProgramRows {
  commit(rows, draftOf(rows, steps, true));
  return rows;
}

/** A program of these texts, with the ids t1, t2 and f1, f2 in their order. */
export function programOf(texts: readonly string[]): ProgramRows {
  const isType = (text: string): boolean => /^\s*(pub )?(struct|enum)\b/u.test(text);
  const types = texts.filter(isType).map((text): ProgramStep => ({ type: "add_type", text }));
  const functions = texts.filter((text) => !isType(text)).map((text): ProgramStep => ({ type: "add_function", text }));
  return mutated(emptyProgram(), [...types, ...functions]);
}

export function changedIn(draft: ProgramDraft): { functions: string[]; types: string[] } {
  return { functions: [...draft.changed("function").keys()], types: [...draft.changed("type").keys()] };
}

export const allItems = (scope: ProgramScope): { functions: string[]; types: string[] } => ({
  functions: [...scope.functionIds()],
  types: [...scope.typeIds()],
});

export function check(
  scope: ProgramScope,
  changed: { readonly functions: readonly string[]; readonly types: readonly string[] },
  options: { readonly caches?: CheckCaches; readonly settings?: Partial<ProgramSettings> } = {},
): ProgramCheckResult {
  const settings = { ...defaultSettings, ...options.settings };
  return finish(checkProgram({ scope, changed, settings, caches: options.caches ?? newCheckCaches(), hash }));
}

export const checkAll = (scope: ProgramScope): ProgramCheckResult => check(scope, allItems(scope));

export function functionOf(scope: ProgramScope, id: string): FunctionValue {
  const value = scope.function(id);
  assert.ok(value, `there is no function ${id}`);
  return value;
}
