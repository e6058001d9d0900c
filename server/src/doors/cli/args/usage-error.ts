/** What was given can't be meant. Its message is a sentence without its end. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
