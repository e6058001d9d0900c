import type { Json } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Command, Entry } from "../../machine/entry.ts";
import type { WantedCheck } from "../../machine/feature.ts";
import type { Machine } from "../../machine/machine.ts";
import type { StateReader } from "../../machine/state.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";
import { commandOfEntry } from "./redecide.ts";

/** Makes the evidence of a command again. Undefined if this build cannot. */
export type MakeEvidence = (command: Command, wanted: WantedCheck, state: StateReader) => Json | undefined;

/**
 * Compares the evidence of an entry with the evidence that its check makes on the state before it. A decision without
 * evidence names the check that it needs.
 */
export function recheckEvidence(machine: Machine, entry: Entry, make: MakeEvidence): "same" | "unknown" | BadEntry {
  const { position, time, grace } = entry;
  const { evidence, ...command } = commandOfEntry(entry);
  if (evidence === undefined) return "unknown";
  const { outcome } = machine.decide(command, { position, time, grace, prior: undefined });
  machine.undo();
  if (outcome.kind !== "refusal" || outcome.code !== "check_stale") return "unknown";
  const { wanted } = outcome.data as { readonly wanted?: unknown };
  if (wanted === undefined) return "unknown";
  const made = make(command, wanted as WantedCheck, machine.durable);
  if (made === undefined) return "unknown";
  return sameJson(made, evidence)
    ? "same"
    : badEntry(entry, "evidence", JSON.stringify(made), JSON.stringify(evidence));
}
