import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { authorOf, findEntity, subjectOf } from "../../../features/entities/entity-table.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { FunctionValue } from "../../../packs/programs/language/function-value.ts";
import { functionDifference, textDifferenceOf } from "../../../packs/programs/language/difference.ts";
import { programType } from "../../../packs/programs/program-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { entityVersions } from "../../reads/entity-versions.ts";
import { pastFunction } from "./past-function.ts";
import type { FunctionTarget } from "./past-function.ts";
import { stateNames } from "./state-names.ts";

const pageSize = 100;

interface HistoryInput extends FunctionTarget {
  readonly before?: number;
  readonly limit?: number;
}

/** The versions of a function before a version, the newest first. */
export const listFunctionHistory: AppRead = {
  view: "keys",
  async run({ program_id, function_id, before, limit = pageSize }: HistoryInput, { services: { engine } }) {
    const id = `${program_id}/function/${function_id}`;
    const row = await engine.read((state) => findEntity(state, { type: programType, id }));
    if (row === undefined) return refusal("programs.not_found", { kind: "function", id: function_id, nearest: [] });
    const to = Math.min(row.version, (before ?? Infinity) - 1);
    const from = Math.max(1, to - limit + 1);
    if (to < 1) return done({ items: [], next: null });
    const range = { from, to, before: row.position + 1 };
    const found = await entityVersions(engine, subjectOf(programType, id), range);
    if (found.kind === "erased") return refusal("entry_erased", { type: programType, id, erased_by: found.by });
    if (found.kind === "missing")
      return refusal("version_not_found", { type: programType, id, version: from, current_version: row.version });
    const items = found.versions.toReversed().map(({ version, value, entry }): JsonObject => ({
      version,
      hash: (value as unknown as FunctionValue | undefined)?.hash ?? null,
      changed_at: new Date(entry.time).toISOString(),
      changed_by: authorOf(entry),
      position: entry.position,
    }));
    return done({ items, next: from > 1 ? from : null });
  },
};

interface DiffInput extends FunctionTarget {
  readonly from: string;
  readonly to?: string;
}

/** A short number is a version, and everything else a hash. */
const sideOf = (side: string | undefined) =>
  side === undefined ? {} : /^[0-9]{1,15}$/u.test(side) ? { version: Number(side) } : { hash: side };

export const diffFunctions: AppRead = {
  view: "keys",
  async run({ from, to, ...target }: DiffInput, { services: { engine } }) {
    const before = await pastFunction(engine, target, sideOf(from));
    if ("kind" in before) return before;
    const after = await pastFunction(engine, target, sideOf(to));
    if ("kind" in after) return after;
    const [base, current] = [before.value as FunctionValue, after.value as FunctionValue];
    return engine.scan((state) => {
      const options = { names: stateNames(state, target.program_id), module: current.module };
      return done({
        function_id: target.function_id,
        from: { version: before.version, hash: base.hash },
        to: { version: after.version, hash: current.hash },
        changes: functionDifference(base, current, options) as unknown as Json,
        text_diff: textDifferenceOf(base, current, options),
      });
    });
  },
};
