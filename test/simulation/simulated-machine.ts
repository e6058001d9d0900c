import { lockOperations } from "@holdfast/sdk/contract";
import Type from "typebox";
import { agentsFeature } from "../../server/src/features/agents/agents.ts";
import { entitiesFeature } from "../../server/src/features/entities/entities.ts";
import { defineKind, refuse } from "../../server/src/features/entities/kind.ts";
import { locksFeature } from "../../server/src/features/locks/locks.ts";
import { machineSettings, spaceFeature } from "../../server/src/features/space/space.ts";
import type { Feature } from "../../server/src/machine/feature.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { leaseFeature, simulatedRules } from "./lease-feature.ts";

/** A type of entity with its own schema, rule and command. */
export const ticketKind = defineKind({
  type: "ticket",
  value: Type.Object({ title: Type.String(), state: Type.Enum(["open", "closed"]), count: Type.Integer() }),
  rule: (next, previous) =>
    next === undefined && previous?.state === "open" ? refuse("still_open", { count: previous.count }) : undefined,
  commands: {
    close: {
      summary: "Closes a ticket.",
      input: { note: Type.Optional(Type.String()) },
      event: "closed",
      decide: (current) =>
        current.state === "closed"
          ? refuse("already_closed")
          : { ...current, state: "closed" as const, count: current.count + 1 },
    },
  },
});

/** The operations that simulated callers may send. */
export const writes: ReadonlyMap<string, { readonly type?: string }> = new Map([
  ...["create-entity", "replace-entity", "patch-entity", "delete-entity", "acquire-lease", "renew-lease"].map(
    (name) => [name, {}] as const,
  ),
  ["close-ticket", { type: "ticket" }],
  ...["raise-rules", "register-agent", "renew-agents", "end-agent", ...Object.keys(lockOperations)].map(
    (name) => [name, {}] as const,
  ),
]);

/** The idempotency window of the simulation, short enough that keys expire in some seeds. */
export const idempotencyWindowMs = 60_000;

/**
 * Number of entries between state hashes. Every seed hashes its state several times, so the engine itself compares
 * replicas.
 */
const stateHashEvery = 20;

export const simulatedFeatures: readonly Feature[] = [
  spaceFeature,
  agentsFeature,
  locksFeature,
  entitiesFeature([ticketKind]),
  leaseFeature,
];

/** The whole state as text. Two texts are equal exactly if the states are equal. */
export function stateText(machine: Machine): string {
  return Array.from(machine.dump(), (row) => JSON.stringify(row)).join("\n");
}

export function simulatedMachine(features: readonly Feature[] = simulatedFeatures): Machine {
  return new Machine({
    features,
    knownRules: simulatedRules,
    settings: (state) => ({ ...machineSettings(state), idempotencyWindowMs, stateHashEvery }),
  });
}
