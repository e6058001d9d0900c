import type { DoorTransport } from "@holdfast/sdk/door-transport";
import type { Clock } from "../base/clock.ts";
import { RateLimiter, ConnectionCallers } from "./rate-limiter.ts";
import { RightsCheck } from "./rights-check.ts";
import { isRejection } from "./gate.ts";
import type { AdmittedCaller, Credentials, Gate, Rejection } from "./gate.ts";
import { guardedTransport } from "./guarded-transport.ts";
import { defaultAccessLimits } from "./limits.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { RefusalNotes } from "./refusal-notes.ts";
import type { RefusedAttempt } from "./refusal-notes.ts";
import { isAllowedEverywhere, callerRightsOf } from "./caller-rights.ts";
import { onRightsLost } from "./on-rights-lost.ts";
import type { OperatorToken } from "./operator-token.ts";

export interface GateOptions {
  /** A transport that sends commands as a principal. */
  readonly transportOf: (speaker: { readonly principal: string; readonly caller: string }) => DoorTransport;
  readonly lookups: Lookups;
  readonly operatorToken: OperatorToken;
  /** Whether callers on this host need a token too. */
  readonly requiresToken: boolean;
  /** The commands of kinds, each with its entity type. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** Records a refused attempt in the journal. */
  readonly record: (attempt: RefusedAttempt) => void;
  readonly clock: Clock;
  /** Defaults apply to absent limits. */
  readonly limits?: Partial<AccessLimits>;
}

export function openGate(options: GateOptions): Gate {
  const { lookups, transportOf, clock, kindCommands, operatorToken } = options;
  const rightsCheck = new RightsCheck(options);
  const limiter = new RateLimiter(options.clock, lookups, { ...defaultAccessLimits, ...options.limits });
  const notes = new RefusalNotes(options.clock, options.record);
  return {
    refresh: () => lookups.refresh(),
    admit(credentials: Credentials): AdmittedCaller | Rejection {
      const rights = callerRightsOf(options, credentials);
      const current = rights();
      if (isRejection(current)) return current;
      const { principal } = current;
      const inner = transportOf({ principal, caller: credentials.connection });
      const callers = new ConnectionCallers(principal, credentials.connection);
      const watch = { lookups, clock, operatorToken, currentRights: rights };
      const onLost = (callback: () => void) => onRightsLost(watch, callback);
      const guard = { lookups, rightsCheck, notes, rights, onLost, limiter, callers, kindCommands };
      const transport = guardedTransport(inner, guard);
      return { principal, isOperator: isAllowedEverywhere(current, ["operate"]), transport };
    },
  };
}
