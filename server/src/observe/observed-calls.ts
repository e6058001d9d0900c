import type { CallReply } from "@holdfast/sdk";
import type { Call, Calls } from "../operations/call.ts";
import type { AnsweredCall } from "./call-metrics.ts";

/** The caller of an observed call, and the door it uses. */
export interface ObservedCaller {
  readonly door: string;
  readonly principal: string;
}

/** Receives every call after its reply. */
interface CallObserver {
  readonly monotonicMs: () => number;
  record(call: AnsweredCall & ObservedCaller): void;
}

/** The same calls, each of which is reported to an observer with its reply and its duration. */
export function observedCalls(calls: Calls, caller: ObservedCaller, observer: CallObserver): Calls {
  return {
    ...calls,
    submit(submitted) {
      const startMs = observer.monotonicMs();
      for (const call of submitted) call.observe = recorder(call, { caller, observer, startMs });
      calls.submit(submitted);
    },
  };
}

interface Recording {
  readonly caller: ObservedCaller;
  readonly observer: CallObserver;
  readonly startMs: number;
}

function recorder({ record, input, options }: Call, recording: Recording): (reply: CallReply | undefined) => void {
  const { caller, observer, startMs } = recording;
  return (reply) => {
    const durationMs = observer.monotonicMs() - startMs;
    observer.record({ ...caller, record, input, options, reply, durationMs });
  };
}
