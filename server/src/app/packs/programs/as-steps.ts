/** Work of the language as steps of a check. */
export function* asSteps<Result>(work: Generator<void, Result>): Generator<undefined, Result, undefined> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}
