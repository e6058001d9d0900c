import type { Check } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import type { Outcome } from "../../machine/entry.ts";

/** The implementation of a read. */
export interface ReadOperation {
  readonly check: Check;
  readonly read: (engine: Engine, input: never, agent?: string) => Promise<Outcome>;
}
