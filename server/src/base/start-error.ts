/** The server refuses to start. The message contains the reason and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code = "cannot_start";
}
