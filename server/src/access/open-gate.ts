import type { DoorTransport } from "@holdfast/sdk/door-transport";
import type { Clock } from "../base/clock.ts";
import { Allotment, Askers } from "./allotment.ts";
import { RightsCheck } from "./check-rights.ts";
import { isTurned } from "./gate.ts";
import type { Caller, Credentials, Gate, Turned } from "./gate.ts";
import { guardedTransport } from "./guarded-transport.ts";
import { defaultAccessLimits } from "./limits.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { RefusalNotes } from "./refusal-notes.ts";
import type { RefusedAttempt } from "./refusal-notes.ts";
import { isAllowedEverywhere, standingOf } from "./standing.ts";
import { onStandingLost } from "./standing-watch.ts";

export interface GateOptions {
  /** A transport on which commands are sent in the name of a principal. */
  readonly transportOf: (speaker: { readonly principal: string; readonly caller: string }) => DoorTransport;
  readonly lookups: Lookups;
  /** The digest of the operator's token. */
  readonly operatorDigest: string;
  /** Whether callers on this host need a token too. */
  readonly requiresToken: boolean;
  /** The commands that kinds of entities bring, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** Puts a refused attempt into the journal. */
  readonly record: (attempt: RefusedAttempt) => void;
  readonly clock: Clock;
  /** The usual ones, where not given. */
  readonly limits?: Partial<AccessLimits>;
}

export function openGate(options: GateOptions): Gate {
  const { lookups, transportOf, clock, kindCommands } = options;
  const rights = new RightsCheck(options);
  const allotment = new Allotment(options.clock, lookups, { ...defaultAccessLimits, ...options.limits });
  const notes = new RefusalNotes(options.clock, options.record);
  return {
    refresh: () => lookups.refresh(),
    admit(credentials: Credentials): Caller | Turned {
      const standing = standingOf(options, credentials);
      const now = standing();
      if (isTurned(now)) return now;
      const { principal } = now;
      const inner = transportOf({ principal, caller: credentials.connection });
      const askers = new Askers(principal, credentials.connection);
      const onLost = (callback: () => void) => onStandingLost({ lookups, clock, standing }, callback);
      const guard = { lookups, rights, notes, standing, onLost, allotment, askers, kindCommands };
      const transport = guardedTransport(inner, guard);
      return { principal, isOperator: isAllowedEverywhere(now, ["operate"]), transport };
    },
  };
}
