import { problemOf } from "@holdfast/sdk/contract";
import type { AnsweredCall } from "./call-figures.ts";
import { codeOf } from "./call-figures.ts";
import { traceOf } from "./log.ts";
import type { Log } from "./log.ts";
import type { Gravity } from "./log-level.ts";
import type { ObservedCaller } from "./observed-transport.ts";

/** A call that takes longer is told of, whatever it came to. */
const slowMs = 1_000;

/** Tells of calls that were refused, that failed, or that were slow. Of the rest the figures are enough. */
export function logCall(log: Log, call: AnsweredCall & ObservedCaller): void {
  const { reply, durationMs } = call;
  const isSlow = durationMs >= slowMs;
  if (reply?.outcome.kind === "done" && !isSlow) return;
  const code = codeOf(reply);
  const gravity = gravityOf(code, isSlow);
  if (!log.isOn(gravity)) return;
  const { door, principal, operation, options } = call;
  log.tell(gravity, code === "done" ? "call.slow" : reply === undefined ? "call.failed" : "call.refused", {
    ...{ door, principal, agent: options.agent, operation, code },
    ...(reply === undefined ? {} : { position: reply.position }),
    duration_ms: Math.round(durationMs * 10) / 10,
    trace_id: traceOf(options.trace),
  });
}

/** Refusals that a caller learns from are its own matter; who is not allowed, and what the server can't do, is not. */
function gravityOf(code: string, isSlow: boolean): Gravity {
  if (code === "failed" || code === "internal_error") return "error";
  if (code === "done") return "warn";
  const { status } = problemOf(code);
  if (status >= 500 || status === 401 || status === 403 || status === 429) return "warn";
  return isSlow ? "warn" : "debug";
}
