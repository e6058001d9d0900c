import type { Check } from "../../../checks/check.ts";
import { checkName } from "../../../packs/programs/language/check/verdict.ts";
import { itemPath, programPath } from "../../../packs/programs/program-value.ts";
import type { EvidenceSource } from "../../calls/app-operation.ts";

/** The check of programs. Its unit is a program with all its items. */
export const programsCheck: Check = {
  name: checkName,
  under: [programPath("")],
  unit: (subject) => subject.split("/")[1] ?? "",
  within: (unit) => [programPath(unit), itemPath(unit, "")],
  // The module next to this one, as source or as built.
  module: new URL(`./programs-worker${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url),
};

/** The evidence of a mutation. The decision compares locks and hashes first, and names what it wants to have checked. */
export const mutationEvidence: EvidenceSource = {
  check: checkName,
  asksDecision: true,
  serial: ({ program_id: id }) => programPath(id as string),
  gather: async (_input, { services, speaker, id, operation, after, wanted, signal }) => {
    if (wanted === undefined) throw new Error(`the decision of ${operation} did not name what to check`);
    const { unit, input } = wanted;
    const agent = speaker.agent ?? null;
    return services.checks.prepare(checkName, { id, unit, operation, input, agent, after }, signal);
  },
};
