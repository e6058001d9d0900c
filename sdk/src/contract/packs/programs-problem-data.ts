/** The data of the refusals of programs, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { holder } from "../grant.ts";
import { programAuthor, programDiagnostic } from "./programs/program.ts";
import { programDifference } from "./programs/program-difference.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();
const texts = Type.Array(text);
const textOrNull = Type.Union([text, Type.Null()]);
const optionalText = Type.Optional(text);
const optionalNumber = Type.Optional(number);
const need = { path: text, mode: text, scope: text };
const errors = { program_id: optionalText, errors: Type.Array(programDiagnostic), locks_kept: Type.Optional(texts) };

export const programsProblemData = {
  "programs.off": data({ toggle: text }),
  "programs.own_operations": data({ type: optionalText }),
  "programs.lock_required": data({
    missing: Type.Optional(Type.Array(data({ ...need, function_id: optionalText, holders: Type.Array(holder) }))),
    acquire: Type.Optional(Type.Array(data(need))),
    batch: Type.Optional(data({ locks: Type.Array(data({ function_id: text, mode: text })) })),
  }),
  "programs.not_found": data({ kind: text, id: text, nearest: texts }),
  "programs.hashes_required": data({ missing: texts }),
  "programs.hash_conflict": data({
    program_id: optionalText,
    conflicts: Type.Array(
      data({
        function_id: optionalText,
        type_id: optionalText,
        expected_hash: textOrNull,
        current_hash: textOrNull,
        changed_by: Type.Optional(programAuthor),
        changed_at: optionalText,
        position: optionalNumber,
        versions_between: optionalNumber,
        text_diff: optionalText,
        changes: Type.Optional(Type.Union([programDifference, Type.Null()])),
        changes_reason: optionalText,
      }),
    ),
    tries: number,
    tries_max: number,
  }),
  "programs.structure_locked": data({ holders: Type.Array(holder), retry_after_ms: number }),
  "programs.text_invalid": data(errors),
  "programs.verification_failed": data(errors),
  "programs.check_too_large": data({ ...errors, checked: number, tested: number, steps: number }),
  "programs.undo_blocked": data({
    reason: text,
    mutation: optionalNumber,
    item: optionalText,
    agent: Type.Optional(textOrNull),
    changed_at: Type.Optional(textOrNull),
  }),
  "programs.nothing_to_undo": data({ side: text, newest: Type.Union([number, Type.Null()]) }),
  "programs.name_taken": data({ item: text }),
  "programs.limit_reached": data({ counted: text, limit: number }),
  "programs.too_many_conflicts": data({ tries: number, retry_after_ms: number }),
} as const;
