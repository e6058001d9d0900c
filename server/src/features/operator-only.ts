import type { DecideContext, Decision } from "../machine/feature.ts";
import { refusal } from "../machine/refusal.ts";

/** Refuses an agent that sends a command of operators, and records the attempt. */
export function operatorOnly({ command }: DecideContext): Decision | undefined {
  if (command.agent === undefined) return undefined;
  const outcome = refusal("not_allowed", { agent_id: command.agent, needs: "operate" });
  return { outcome, events: [], isAudited: true };
}
