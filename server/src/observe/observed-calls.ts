import type { CallObserver, Calls } from "../operations/call.ts";
import type { AnsweredCall } from "./call-metrics.ts";

/** The caller of an observed call, and the door it uses. */
export interface ObservedCaller {
  readonly door: string;
  readonly principal: string;
}

/** Records every call after its reply. */
interface CallRecorder {
  readonly monotonicMs: () => number;
  record(call: AnsweredCall & ObservedCaller): void;
}

/** The same calls, each of which is recorded with its reply and its duration. */
export function observedCalls(calls: Calls, { door, principal }: ObservedCaller, recorder: CallRecorder): Calls {
  const observer: CallObserver = {
    observe({ record, input, options, startMs = NaN }, reply) {
      const durationMs = recorder.monotonicMs() - startMs;
      recorder.record({ door, principal, record, input, options, reply, durationMs });
    },
  };
  return {
    ...calls,
    submit(submitted) {
      const startMs = recorder.monotonicMs();
      for (const call of submitted) {
        call.observer = observer;
        call.startMs = startMs;
      }
      calls.submit(submitted);
    },
  };
}
