import { untilAborted } from "../base/until-aborted.ts";
import type { CallReply, Transport } from "./transport/transport.ts";

/** Wraps a transport so that each call ends with its signal. A call that was not sent by then is never sent. */
export function abortable(transport: Transport): Transport {
  return {
    call(operation, input, options) {
      const { signal } = options;
      if (signal === undefined) return transport.call(operation, input, options);
      return callUntil(signal, () => transport.call(operation, input, options));
    },
    watch: (options) => transport.watch(options),
    notices: (options) => transport.notices(options),
    cursor: () => transport.cursor(),
    close: () => transport.close(),
  };
}

async function callUntil(signal: AbortSignal, call: () => Promise<CallReply>): Promise<CallReply> {
  signal.throwIfAborted();
  return untilAborted(signal, call());
}
