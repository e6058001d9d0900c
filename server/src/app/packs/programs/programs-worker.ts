/** The check `programs/1`, as the thread of checks runs it. */
import { startBlake3 } from "../../../base/blake3.ts";
import type { CheckRequest, CheckSteps, CheckWork, CreateCheckWork } from "../../../checks/check.ts";
import { newCheckCaches } from "../../../packs/programs/language/check/check-caches.ts";
import type { HashContent } from "../../../packs/programs/language/hash.ts";
import { evidenceOf } from "../../../packs/programs/recorded-findings.ts";
import type { WantedMutation } from "../../../packs/programs/mutation-findings.ts";
import { answerQuestion } from "./answer-question.ts";
import type { ProgramQuestion } from "./answer-question.ts";
import { asSteps } from "./as-steps.ts";
import { findMutation, valueIn } from "./find-mutation.ts";
import type { CheckTools } from "./find-mutation.ts";
import { ProgramUnit } from "./program-unit.ts";

export const createCheckWork: CreateCheckWork = async (_options, pause) => programsWork(await startBlake3(), pause);

/** Maximum runs of a check on rows that change while it runs. The decision compares the last one in any case. */
const runsMax = 3;

/** The work of the check with a hash function that has started. */
export function programsWork(hash: HashContent, pause?: () => void): CheckWork {
  const units = new Map<string, ProgramUnit>();
  const pending = new Map<string, ProgramUnit>();
  const tools: CheckTools = { hash, caches: newCheckCaches(), pause };
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
  const wanted = input as unknown as WantedMutation;
  const expected = wanted.kind === "steps" ? wanted.expected : {};
  for (let run = 1; ; run += 1) {
    const snapshot = unit.snapshot();
    // The decision finds out by itself that the program was deleted.
    if (snapshot === undefined) return { check: "none" };
    const { findings } = yield* asSteps(findMutation(snapshot, wanted, tools));
    const { scope, program } = snapshot;
    const isChanged = (["function", "type", "module"] as const).some((kind) => scope.changed(kind).size > 0);
    unit.end(snapshot);
    // A row changed while the check ran. The caches make another run cheap.
    if (isChanged && run < runsMax) continue;
    const evidence = evidenceOf(findings, expected, (item) => valueIn(scope, item));
    if (findings.verdict.ok && findings.writes.length > 0) {
      unit.add(id, program, findings);
      pending.set(id, unit);
    }
    return evidence;
  }
}
