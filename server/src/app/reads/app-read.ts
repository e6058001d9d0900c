import type { RunOutcome } from "../calls/run-outcome.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import type { CallRights } from "../../operations/call.ts";
import type { EngineServices } from "../engine-services.ts";

export interface AppReadContext extends ReadContext {
  readonly services: EngineServices;
  /** True for a caller that may operate the whole space and is not an agent. */
  readonly isOperator: boolean;
  /** Absent for a program in this process, which has all rights. */
  readonly rights: CallRights | undefined;
}

/**
 * Answers a read of a pack. `keys` looks up rows and never waits for a batch. `scan` also reads rows in order, so it runs
 * when no batch is in flight.
 */
export interface AppRead {
  readonly view: "keys" | "scan";
  readonly run: (input: never, context: AppReadContext) => RunOutcome | Promise<RunOutcome>;
}
