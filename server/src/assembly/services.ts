import type { Journal } from "../journal/journal.ts";
import { followRules } from "../services/follow-rules.ts";
import type { ServiceFactory } from "../services/service.ts";

interface ServiceOptions {
  readonly journal: Journal;
  /** The rules numbers that this build knows. */
  readonly rules: readonly number[];
}

/** The services of a node, in the order of their start. */
export function servicesOfNode({ journal: { coordination }, rules }: ServiceOptions): readonly ServiceFactory[] {
  return coordination === undefined ? [] : [followRules(coordination, rules)];
}
