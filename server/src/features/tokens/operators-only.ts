import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/outcome.ts";

/** An agent that asks for what belongs to operators is refused, whoever's it is, and the attempt is recorded. */
export function operatorsOnly({ command }: DecideContext): Decision | undefined {
  if (command.agent === undefined) return undefined;
  const outcome = refusal("not_allowed", { agent_id: command.agent, needs: "operate" });
  return { outcome, events: [], isAudited: true };
}
