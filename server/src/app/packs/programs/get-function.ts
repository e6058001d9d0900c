import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { authorOf, findEntity, isLive } from "../../../features/entities/entity-table.ts";
import type { Outcome } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import type { FunctionValue } from "../../../packs/programs/language/function-value.ts";
import { graphOf } from "../../../packs/programs/language/pack.ts";
import { printSignature } from "../../../packs/programs/language/print-functions.ts";
import { findItem, programType } from "../../../packs/programs/program-value.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { functionContent } from "./function-content.ts";
import type { FunctionView } from "./function-content.ts";
import { pastFunction } from "./past-function.ts";
import type { FunctionTarget } from "./past-function.ts";
import { stateNames } from "./state-names.ts";

interface GetFunctionInput extends FunctionTarget {
  readonly view?: FunctionView;
  readonly ids?: boolean;
  readonly version?: number;
  readonly position?: number;
  readonly hash?: string;
}

/** A version of a function as replies show it. */
interface ShownVersion {
  readonly value: FunctionValue;
  readonly version: number;
  readonly entry: {
    readonly position: number;
    readonly time: number;
    readonly principal: string;
    readonly agent?: string;
  };
}

/** A function with its hash and everything that it calls, in one call. It waits for no lock and no thread. */
export const getFunction: AppRead = {
  view: "scan",
  run(input: GetFunctionInput, { state, services: { engine } }) {
    const { program_id, function_id, version, position, hash } = input;
    if (version === undefined && position === undefined && hash === undefined) {
      const row = findEntity(state, { type: programType, id: `${program_id}/function/${function_id}` });
      if (!isLive(row)) return refusal("programs.not_found", { kind: "function", id: function_id, nearest: [] });
      const value = row.value as unknown as FunctionValue;
      return shownFunction(state, input, { value, version: row.version, entry: row });
    }
    return pastFunction(engine, input, { version, position, hash }).then((found) => {
      if ("kind" in found) return found;
      const shown = { ...found, value: found.value as FunctionValue };
      return engine.scan((now) => shownFunction(now, input, shown));
    });
  },
};

function shownFunction(state: StateReader, input: GetFunctionInput, found: ShownVersion): Outcome {
  const { program_id: programId, function_id, view = "text", ids = false } = input;
  const { value, version, entry } = found;
  const content = functionContent(value, { names: stateNames(state, programId), view, ids });
  const callees = value.calls.map((id): JsonObject => ({
    function_id: id,
    signature: signatureOf(state, programId, id),
  }));
  return done(
    defined({
      ...{ function_id, name: value.name, module_id: value.module, hash: value.hash },
      ...{ signature_hash: value.signature_hash, version },
      ...{ text: content.text, nodes: content.graph?.nodes, edges: content.graph?.edges },
      callees,
      changed_at: new Date(entry.time).toISOString(),
      changed_by: authorOf(entry),
      position: entry.position,
    }),
  );
}

/** The signature of a function as its own module writes it. */
export function signatureOf(state: StateReader, programId: string, id: string): string | null {
  const value = findItem(state, programId, `function/${id}`);
  if (value?.kind !== "function") return null;
  return printSignature(graphOf(value), { names: stateNames(state, programId), module: value.module });
}
