import type { CallOptions, CallReply, Transport } from "@holdfast/sdk";
import type { AnsweredCall } from "./call-figures.ts";

/** Who calls, and through which door. */
export interface ObservedCaller {
  readonly door: string;
  readonly principal: string;
}

/** Told about every call once it is answered. */
export interface CallWatch {
  readonly monotonicMs: () => number;
  note(call: AnsweredCall & ObservedCaller): void;
}

/**
 * The same transport, with somebody who looks on. The caller gets the very promise that it would get without: who looks
 * on comes after it, and can neither delay nor change an answer.
 */
export function observedTransport(transport: Transport, caller: ObservedCaller, watch: CallWatch): Transport {
  const { door, principal } = caller;
  return {
    call(operation: string, input: unknown, options: CallOptions): Promise<CallReply> {
      const startMs = watch.monotonicMs();
      const answer = transport.call(operation, input, options);
      const note = (reply: CallReply | undefined): void => {
        watch.note({ door, principal, operation, input, options, reply, durationMs: watch.monotonicMs() - startMs });
      };
      answer.then(note, () => {
        note(undefined);
      });
      return answer;
    },
    watch: (options) => transport.watch(options),
    notices: (options) => transport.notices(options),
    cursor: () => transport.cursor(),
    close: () => transport.close(),
  };
}
