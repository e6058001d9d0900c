import type { Transport } from "./transport.ts";

/** A transport that is loaded at its first use. */
export function lazyTransport(load: () => Promise<Transport>): Transport {
  let loading: Promise<Transport> | undefined;
  const loaded = (): Promise<Transport> => (loading ??= load());
  return {
    call: (operation, input, options) => loaded().then((transport) => transport.call(operation, input, options)),
    watch: (options) => lazyPages(() => loaded().then((transport) => transport.watch(options))),
    notices: (options) => lazyPages(() => loaded().then((transport) => transport.notices(options))),
    cursor: () => loaded().then((transport) => transport.cursor()),
    close: () => loaded().then((transport) => transport.close()),
  };
}

function lazyPages<Page>(start: () => Promise<AsyncIterableIterator<Page>>): AsyncIterableIterator<Page> {
  let started: Promise<AsyncIterableIterator<Page>> | undefined;
  let isEnded = false;
  return {
    async next() {
      if (isEnded) return { done: true, value: undefined };
      return (await (started ??= start())).next();
    },
    async return() {
      isEnded = true;
      await (await started)?.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
