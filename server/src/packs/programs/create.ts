import { program } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { writeAllByKind } from "../../features/entities/write-by-kind.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { newResourceId } from "../resource-decides.ts";
import { defaultSettings, mainModule } from "./language/function-value.ts";
import type { ProgramSettings } from "./language/function-value.ts";
import { programKind } from "./program-kind.ts";
import { programPath, programType } from "./program-value.ts";
import type { ProgramValue } from "./program-value.ts";

interface CreateInput {
  readonly program_id?: string;
  readonly name: string;
  readonly description?: string;
  readonly settings?: Partial<ProgramSettings>;
}

/** A new program with the module `main`. An agent must not weaken its own checks, so only operators send settings. */
export function createProgram(input: CreateInput, context: DecideContext): Decision {
  const { name, description, settings } = input;
  const denied = settings === undefined ? undefined : operatorOnly(context);
  if (denied !== undefined) return denied;
  const id = input.program_id ?? newResourceId(program, context);
  const row = findEntity(context.state, { type: programType, id });
  // The items of a deleted program keep their ids and histories, and a program of the same id would continue them.
  if (row !== undefined && !isLive(row))
    return { outcome: refusal("programs.name_taken", { item: programPath(id) }), events: [] };
  const value: ProgramValue = {
    ...{ kind: "program", name, ...defined({ description }) },
    settings: { ...defaultSettings, ...settings },
    // The position makes the histories of two programs different.
    ...{ structure: `start-${context.position}`, chain: `start-${context.position}` },
    counts: { functions: 0, types: 0, modules: 1, nodes: 0 },
    next: { f: 1, t: 1, m: 1 },
  };
  const main: JsonObject = { kind: "module", name: "main", parent: null };
  const written = writeAllByKind(
    [
      [programKind, { target: { id }, change: { create: value as unknown as Json } }],
      [programKind, { target: { id: `${id}/module/${mainModule}` }, change: { create: main } }],
    ],
    context,
  );
  if ("outcome" in written) return written;
  const { version, revision, previous_revision } = written[0]?.data ?? {};
  return {
    outcome: done(defined({ program_id: id, version, revision, changed: true, previous_revision })),
    events: [],
  };
}
