import type { CallReply } from "@holdfast/sdk";
import type { DoorTransport } from "@holdfast/sdk/door-transport";
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

/**
 * Wraps a transport so that an observer sees its calls. The caller gets the promise of the wrapped transport itself. The
 * observer runs after it, and can neither delay nor change a reply.
 */
export function observedTransport(
  transport: DoorTransport,
  caller: ObservedCaller,
  observer: CallObserver,
): DoorTransport {
  const { door, principal } = caller;
  return {
    call(operation, input, options): Promise<CallReply> {
      const startMs = observer.monotonicMs();
      const called = transport.call(operation, input, options);
      const record = (reply: CallReply | undefined): void => {
        const durationMs = observer.monotonicMs() - startMs;
        observer.record({ door, principal, operation, input, options, reply, durationMs });
      };
      called.then(record, () => {
        record(undefined);
      });
      return called;
    },
    watch: (options) => transport.watch(options),
    notices: (options) => transport.notices(options),
    cursor: () => transport.cursor(),
    close: () => transport.close(),
  };
}
