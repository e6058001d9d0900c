import type { DecideContext, Decision } from "../../machine/feature.ts";
import { decideMutation } from "./mutation.ts";
import { findProgram } from "./program-value.ts";

interface ImportInput {
  readonly program_id: string;
  readonly text: string;
  readonly description?: string;
  readonly release?: boolean;
  readonly fence?: string;
}

/** Adds the items of an export. A program that is not empty needs the lock of the whole program. */
export function importProgram(input: ImportInput, context: DecideContext): Decision {
  const { program_id: programId, text, description, fence } = input;
  const { functions = 0, types = 0, modules = 1 } = findProgram(context.state, programId)?.value.counts ?? {};
  return decideMutation(
    {
      ...{ programId, what: "import", touched: [], isStructural: true, expected: {}, description, fence },
      concerned: { functions: [], modules: new Set() },
      needsProgramLock: functions + types > 0 || modules > 1,
      release: input.release === true,
      wanted: { kind: "import", text },
    },
    context,
  );
}
