/**
 * The result of `work`, unless the signal aborts first: then the reason of the signal is thrown. With `take`, the result
 * is taken in the moment in which it arrives, and is not taken once the signal has aborted. Exactly one of both happens.
 */
export function untilAborted<Result>(signal: AbortSignal | undefined, work: Promise<Result>): Promise<Result>;
export function untilAborted<Result, Kept>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
  take: (result: Result) => Kept,
): Promise<Kept>;
export function untilAborted<Result>(
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
