import { problemOf } from "@holdfast/sdk/contract";
import type { AnsweredCall } from "./call-metrics.ts";
import { outcomeCodeOf } from "./call-metrics.ts";
import { traceOf } from "./log.ts";
import type { Log } from "./log.ts";
import type { LogSeverity } from "./log-level.ts";
import type { ObservedCaller } from "./observed-calls.ts";

/** Duration from which a call is logged as slow, even if it succeeds. */
const slowCallMs = 1_000;

/** Logs calls that were refused, failed or slow. The metrics cover the others. */
export function logCall(log: Log, call: AnsweredCall & ObservedCaller): void {
  const { reply, durationMs } = call;
  const isSlow = durationMs >= slowCallMs;
  if (reply?.outcome.kind === "done" && !isSlow) return;
  const code = outcomeCodeOf(reply);
  const severity = severityOf(code, isSlow);
  if (!log.isOn(severity)) return;
  const { door, principal, options } = call;
  const { name: operation } = call.record;
  log.write(severity, code === "done" ? "call.slow" : reply === undefined ? "call.failed" : "call.refused", {
    ...{ door, principal, agent: options.agent, operation, code },
    position: reply?.position,
    duration_ms: Math.round(durationMs * 10) / 10,
    trace_id: traceOf(options.trace),
  });
}

/**
 * A refusal that only concerns its caller is a debug line. Missing rights, rate limits and failures of the server concern
 * the operator and are warnings.
 */
function severityOf(code: string, isSlow: boolean): LogSeverity {
  if (code === "failed" || code === "internal_error") return "error";
  if (code === "done") return "warn";
  // A program without an agent asks for one, or its last heartbeat arrives after its end. That concerns no operator.
  if ((code === "agent_required" || code === "agent_unknown") && !isSlow) return "debug";
  const { status } = problemOf(code);
  if (status >= 500 || status === 401 || status === 403 || status === 429) return "warn";
  return isSlow ? "warn" : "debug";
}
