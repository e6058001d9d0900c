import type { Refusal } from "../../machine/entry.ts";
import { allPacks } from "../packs/all-packs.ts";
import type { Explain, ExplainContext } from "./explain.ts";
import { explainDeadlock } from "./explanations/deadlock.ts";
import { explainEndedAgent } from "./explanations/ended-agent.ts";
import { explainVersionConflict } from "./explanations/version-conflict.ts";

/** The explanations of features and packs, by problem code. */
const explanations: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  ["agent_unknown", explainEndedAgent],
  ["concurrency_mismatch", explainVersionConflict],
  ["deadlock", explainDeadlock],
  ...allPacks.flatMap(({ explain = {} }) => Object.entries(explain)),
]);

/** The refusal with the data that explains it. Most codes have no explanation. */
export async function explainRefusal(refusal: Refusal, context: ExplainContext): Promise<Refusal> {
  const explain = explanations.get(refusal.code);
  if (explain === undefined) return refusal;
  return { ...refusal, data: { ...refusal.data, ...(await explain(refusal, context)) } };
}

/** The same for a refusal that became no entry. */
export function explainUnrecorded(refusal: Refusal, { services }: Pick<ExplainContext, "services">): Promise<Refusal> {
  return explainRefusal(refusal, { services, input: {}, position: services.engine.head.position });
}
