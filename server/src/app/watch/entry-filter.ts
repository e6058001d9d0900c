import { allOperations } from "@holdfast/sdk/contract";
import type { auditOperations, InputOf, Operation } from "@holdfast/sdk/contract";
import type { Entry } from "../../machine/entry.ts";

type EntryFilter = Pick<
  InputOf<(typeof auditOperations)["list-audit"]> & InputOf<(typeof auditOperations)["list-journal"]>,
  "principal" | "agent" | "operation" | "subject" | "outcome"
>;

/** Recurring operations that the audit trail leaves out. */
const upkeep: ReadonlySet<string> = new Set(
  Object.values<Operation>(allOperations).flatMap(({ name, isUpkeep: isLeftOut }) =>
    isLeftOut === true ? [name] : [],
  ),
);

export function isUpkeep({ operation }: Entry): boolean {
  return upkeep.has(operation);
}

export function matchesEntryFilter(entry: Entry, filter: EntryFilter): boolean {
  const { principal, agent, operation, subject, outcome } = filter;
  if (principal !== undefined && entry.principal !== principal) return false;
  if (agent !== undefined && entry.agent !== agent) return false;
  if (operation !== undefined && entry.operation !== operation) return false;
  if (outcome !== undefined && !hasOutcome(entry, outcome)) return false;
  return subject === undefined || entry.events.some((event) => isAbout(event.subject, subject));
}

/** `done`, or the code of the refusal. */
export function entryOutcomeCode({ outcome }: Entry): string {
  return outcome.kind === "done" ? "done" : outcome.code;
}

function hasOutcome(entry: Entry, outcome: string): boolean {
  return outcome === "refused" ? entry.outcome.kind === "refusal" : entryOutcomeCode(entry) === outcome;
}

function isAbout(subject: string, pattern: string): boolean {
  return isTree(pattern) ? subject.startsWith(pattern) : subject === pattern;
}

/** A slash at the end selects everything below. */
export function isTree(pattern: string): boolean {
  return pattern.endsWith("/");
}
