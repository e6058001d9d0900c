/** The configuration of the nats-server or of its connection is unusable. The message contains the reason and what to do. */
export class NatsConfigError extends Error {
  override readonly name = "NatsConfigError";
}
