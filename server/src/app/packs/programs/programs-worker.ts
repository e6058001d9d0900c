/** The check `programs/1`, as the thread of checks runs it. */
import type { Json } from "@holdfast/sdk/json/json";
import { startBlake3 } from "../../../base/blake3.ts";
import type { CheckRequest, CheckSteps, CheckWork } from "../../../checks/check.ts";
import { newCheckCaches } from "../../../packs/programs/language/check/check-caches.ts";
import type { HashText } from "../../../packs/programs/language/hash.ts";
import type { MutationEvidence, WantedMutation } from "../../../packs/programs/mutation-evidence.ts";
import { answerQuestion } from "./answer-question.ts";
import type { ProgramQuestion } from "./answer-question.ts";
import { asSteps } from "./as-steps.ts";
import { makeEvidence } from "./make-evidence.ts";
import type { CheckTools } from "./make-evidence.ts";
import { ProgramUnit } from "./program-unit.ts";

export async function createCheckWork(): Promise<CheckWork> {
  return programsWork(await startBlake3());
}

/** Maximum runs of a check on rows that change while it runs. The decision compares the last one in any case. */
const runsMax = 3;

/** The work of the check with a hash function that has started. */
export function programsWork(hash: HashText): CheckWork {
  const units = new Map<string, ProgramUnit>();
  const pending = new Map<string, ProgramUnit>();
  const tools: CheckTools = { hash, caches: newCheckCaches() };
  const unitOf = (name: string): ProgramUnit => {
    const unit = units.get(name) ?? new ProgramUnit();
    units.set(name, unit);
    return unit;
  };
  return {
    load(unit, rows) {
      unitOf(unit).set(rows);
    },
    apply({ rows }) {
      const byUnit = Map.groupBy(rows, ({ subject }) => subject.split("/")[1] ?? "");
      for (const [name, some] of byUnit) units.get(name)?.apply(some);
    },
    unload(unit) {
      units.delete(unit);
    },
    prepare: (request) => prepare(request, unitOf(request.unit), { tools, pending }),
    ask: (question) => {
      const asked = question as unknown as ProgramQuestion;
      return answerQuestion(asked, unitOf(asked.program_id), tools);
    },
    answered(id, isDone) {
      pending.get(id)?.answered(id, isDone);
      pending.delete(id);
    },
  };
}

interface PrepareTools {
  readonly tools: CheckTools;
  readonly pending: Map<string, ProgramUnit>;
}

function* prepare({ id, input }: CheckRequest, unit: ProgramUnit, { tools, pending }: PrepareTools): CheckSteps {
  for (let run = 1; ; run += 1) {
    const snapshot = unit.snapshot();
    // The decision finds out by itself that the program was deleted.
    if (snapshot === undefined) return { check: "none" };
    const { evidence } = yield* asSteps(makeEvidence(snapshot, input as unknown as WantedMutation, tools));
    const isChanged = (["function", "type", "module"] as const).some((kind) => snapshot.scope.changed(kind).size > 0);
    unit.end(snapshot);
    // A row changed while the check ran. The caches make another run cheap.
    if (isChanged && run < runsMax) continue;
    if (evidence.verdict.ok && evidence.writes.length > 0) {
      unit.add(id, evidence);
      pending.set(id, unit);
    }
    return evidence as MutationEvidence & Json;
  }
}
