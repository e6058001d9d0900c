/**
 * A promise, unless the signal aborts before: then its reason is thrown. With `take` what is promised is taken in the
 * moment in which it comes, and is not once the signal has aborted: never both, and never neither without an error.
 */
export function until<Result>(signal: AbortSignal | undefined, work: Promise<Result>): Promise<Result>;
export function until<Result, Taken>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
  take: (result: Result) => Taken,
): Promise<Taken>;
export function until<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
  take?: (result: Result) => unknown,
): Promise<unknown> {
  if (signal === undefined) return take === undefined ? work : work.then(take);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason, as the platform does it
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const arrived = work.then((result) => {
      if (!signal.aborted) resolve(take === undefined ? result : take(result));
    });
    arrived.catch(reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
