import type { TargetRules } from "../../../packs/files/target-rule.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { RunOutcome } from "../../calls/run-outcome.ts";
import type { AppRead, AppReadContext } from "../../reads/app-read.ts";
import { withMomentaryState } from "../../reads/momentary-state.ts";

interface TargetInput {
  readonly target: string;
}

/** A read of a target, which asks the rules about targets first. Operators read everything. */
export function underTargetRules(rules: TargetRules, { view, run }: AppRead): AppRead {
  const runIfAllowed = (input: TargetInput, context: AppReadContext): RunOutcome | Promise<RunOutcome> => {
    const refused = rules.refusalOf(context, { use: "read", target: input.target, fence: context.fence });
    if (refused !== undefined) return refusal(refused.code, refused.data);
    return run(input as never, context);
  };
  return {
    view,
    async run(input: TargetInput, context) {
      if (context.isOperator || !rules.concern(input.target)) return await run(input as never, context);
      // Locks are found by a scan, so the rules and the read see one state between two batches.
      return await context.services.engine.scan((state) =>
        withMomentaryState(state, (moment) => runIfAllowed(input, { ...context, state: moment })),
      );
    },
  };
}
