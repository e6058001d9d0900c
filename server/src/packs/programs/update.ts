import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite, KindWritten } from "../../features/entities/write-by-kind.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { existingProgram } from "./mutation.ts";
import { missingProgramLock } from "./missing-locks.ts";
import { programKind } from "./program-kind.ts";

interface ProgramTarget {
  readonly program_id: string;
  readonly fence?: string;
  readonly expected_version?: number;
  readonly expected_revision?: string;
  readonly if_unchanged?: readonly (string | { readonly pointer: string; readonly value?: unknown })[];
}

interface UpdateInput extends ProgramTarget {
  readonly changes: JsonObject;
}

export function updateProgram({ changes, ...input }: UpdateInput, context: DecideContext): Decision {
  const denied = changes["settings"] === undefined ? undefined : operatorOnly(context);
  if (denied !== undefined) return denied;
  const found = existingProgram(context, input.program_id);
  if ("outcome" in found) return found;
  return written(
    input.program_id,
    writeByKind(programKind, { target: targetOf(input), change: { merge: changes } }, context),
  );
}

/** The program is gone at once. Its items are removed by commands of Holdfast, some of them in each entry. */
export function deleteProgram(input: ProgramTarget, context: DecideContext): Decision {
  const { program_id: programId, fence } = input;
  const found = existingProgram(context, programId);
  if ("outcome" in found) return found;
  const missing = missingProgramLock(context, { programId, fence });
  if (missing !== undefined) return missing;
  return written(programId, writeByKind(programKind, { target: targetOf(input), change: { delete: true } }, context));
}

function targetOf({ program_id: id, ...conditions }: ProgramTarget): KindWrite["target"] {
  const { fence, expected_version, expected_revision, if_unchanged } = conditions;
  return defined({ id, fence, expected_version, expected_revision, if_unchanged });
}

function written(programId: string, result: KindWritten | Decision): Decision {
  if ("outcome" in result) return result;
  const { version, revision, changed, previous_revision } = result.data;
  const data = defined({ program_id: programId, version, revision, changed, previous_revision });
  return { outcome: done(data), events: [] };
}
