import type { CallReply, Transport } from "./transport.ts";

/** The same transport, whose calls end with their signal: what was not sent by then never is. */
export function abortable(transport: Transport): Transport {
  return {
    call(operation, input, options) {
      const { signal } = options;
      if (signal === undefined) return transport.call(operation, input, options);
      if (signal.aborted) return Promise.reject(reasonOf(signal));
      return endedBy(signal, transport.call(operation, input, options));
    },
    watch: (options) => transport.watch(options),
    notices: (options) => transport.notices(options),
    cursor: () => transport.cursor(),
    close: () => transport.close(),
  };
}

function endedBy(signal: AbortSignal, reply: Promise<CallReply>): Promise<CallReply> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      reject(reasonOf(signal));
    };
    signal.addEventListener("abort", end, { once: true });
    const listenNoMore = (): void => {
      signal.removeEventListener("abort", end);
    };
    reply.then(resolve, reject).finally(listenNoMore);
  });
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error("the call was aborted", { cause: reason });
}
