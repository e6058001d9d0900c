import type { Clock } from "../base/clock.ts";
import type { Calls } from "../operations/call.ts";
import { RateLimiter, ConnectionCallers } from "./rate-limiter.ts";
import { RightsCheck } from "./rights-check.ts";
import { isRejection } from "./gate.ts";
import type { AdmittedCaller, Credentials, Gate, Rejection } from "./gate.ts";
import { guardedCalls } from "./guarded-calls.ts";
import { defaultAccessLimits } from "./limits.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { RefusalNotes } from "./refusal-notes.ts";
import type { NoteRecorder } from "./refusal-notes.ts";
import { isAllowedEverywhere, callerRightsOf } from "./caller-rights.ts";
import { onRightsLost } from "./on-rights-lost.ts";
import type { OperatorToken } from "./operator-token.ts";

export interface GateOptions {
  /** Submits calls as a principal. */
  readonly callsOf: (speaker: { readonly principal: string; readonly caller: string }) => Calls;
  readonly lookups: Lookups;
  readonly operatorToken: OperatorToken;
  /** Whether callers on this host need a token too. */
  readonly requiresToken: boolean;
  readonly record: NoteRecorder;
  readonly clock: Clock;
  /** Defaults apply to absent limits. */
  readonly limits?: Partial<AccessLimits>;
}

/** Other rejections, such as that of a node that still loads its state, say nothing about the caller. */
const authenticationFailures = new Set(["token_invalid", "token_required"]);

export function openGate(options: GateOptions): Gate {
  const { lookups, callsOf, clock, operatorToken } = options;
  const rightsCheck = new RightsCheck(lookups);
  const limiter = new RateLimiter(options.clock, lookups, { ...defaultAccessLimits, ...options.limits });
  const notes = new RefusalNotes(options.clock, options.record);
  return {
    refresh: () => lookups.refresh(),
    noteRejection(door, { code }) {
      if (authenticationFailures.has(code)) notes.noteRejection({ door, code });
    },
    admit(credentials: Credentials): AdmittedCaller | Rejection {
      const rights = callerRightsOf(options, credentials);
      const current = rights();
      if (isRejection(current)) return current;
      const { principal } = current;
      const inner = callsOf({ principal, caller: credentials.connection });
      const callers = new ConnectionCallers(principal, credentials.connection);
      const watch = { lookups, clock, operatorToken, currentRights: rights };
      const onLost = (callback: () => void) => onRightsLost(watch, callback);
      const guard = { lookups, rightsCheck, notes, rights, onLost, limiter, callers };
      const calls = guardedCalls(inner, guard);
      return { principal, isOperator: isAllowedEverywhere(current, ["operate"]), calls };
    },
  };
}
