import type { Command, Entry } from "../../machine/entry.ts";
import type { Decided, Machine } from "../../machine/machine.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";

/**
 * Decides the command of an entry again and compares the result. If it is the same, the machine has folded the entry and is
 * settled. Otherwise the decision is undone.
 *
 * "unknown" means that this build does not have the operation. It also means that another build refused the command because
 * it did not have the rules. The journal does not record which rules were missing.
 *
 * `prior` is always undefined. A command whose key was used before leaves no entry, so the command of an entry had no prior.
 */
export function redecide(machine: Machine, entry: Entry): "same" | "unknown" | BadEntry {
  const { position, time, grace } = entry;
  if (entry.outcome.kind === "refusal" && entry.outcome.code === "rules_unknown") return "unknown";
  const circumstances = { position, time, grace, prior: undefined };
  const decided = machine.decide(commandOfEntry(entry), circumstances);
  const { outcome } = decided;
  if (outcome.kind === "refusal" && outcome.code === "operation_unknown") return "unknown";
  // The entry was decided before its kind had a check.
  if (outcome.kind === "refusal" && outcome.code === "check_stale" && entry.evidence === undefined) return "unknown";
  const bad = compare(entry, decided);
  if (bad === undefined) machine.settle();
  else machine.undo();
  return bad ?? "same";
}

/** The command without the outcome, so that no rule can read the first result. */
export function commandOfEntry(entry: Entry): Command {
  const { position: _p, time: _t, rules: _r, grace: _g, outcome: _o, events: _e, erased: _x, ...command } = entry;
  return command;
}

function compare(entry: Entry, decided: Decided): BadEntry | undefined {
  const { outcome } = decided;
  const outcomeText =
    decided.defect === undefined
      ? JSON.stringify(outcome)
      : `a defect: ${decided.defect instanceof Error ? decided.defect.message : "not an error"}`;
  const outcomeFound = JSON.stringify(entry.outcome);
  if (outcomeText !== outcomeFound) return badEntry(entry, "outcome", outcomeText, outcomeFound);
  const events = JSON.stringify(decided.events);
  const eventsFound = JSON.stringify(entry.events);
  if (events !== eventsFound) return badEntry(entry, "events", events, eventsFound);
  if (decided.entry === undefined) return badEntry(entry, "record", "no entry", "an entry");
  const { rules } = decided.entry;
  return rules === entry.rules ? undefined : badEntry(entry, "rules", String(rules), String(entry.rules));
}
