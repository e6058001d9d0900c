/** A server must not start like this. Its message says why, and what to do about it. */
export class StartError extends Error {
  override readonly name = "StartFault";
  readonly code = "can_not_start";
}
