/** A promise, unless the signal aborts before: then its reason is thrown. */
export function until<Result>(signal: AbortSignal | undefined, work: Promise<Result>): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason, as the platform does it
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const listenNoMore = (): void => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(listenNoMore);
  });
}
