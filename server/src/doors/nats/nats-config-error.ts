/** What there is on the server can not be used. The message says what is wrong with it, and what to do about it. */
export class NatsConfigError extends Error {
  override readonly name = "NatsConfigError";
}
