import { shownTargets } from "../../../packs/files/shown-targets.ts";
import type { TargetRules } from "../../../packs/files/target-rule.ts";
import type { AppRead } from "../../reads/app-read.ts";
import { shownPage } from "../../reads/shown-page.ts";

interface TargetsQuery {
  readonly under?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly fence?: string;
}

/** Targets that a rule hides are left out. */
export const listTargets = (rules: TargetRules): AppRead => ({
  view: "keys",
  run({ under = "", after, limit = 100, fence }: TargetsQuery, { services, isOperator, ...caller }) {
    const isShown = (context: typeof caller, target: string): boolean =>
      isOperator || rules.refusalOf(context, { use: "list", target, fence }) === undefined;
    const step = (state: typeof caller.state, from: { readonly after: string | undefined; readonly rows: number }) =>
      shownTargets(state, { under, ...from }, (target) => isShown({ ...caller, state }, target));
    return shownPage(services, { after, limit, step });
  },
});
