/** The command line is invalid. The message is a sentence without its full stop. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
