import type { Address } from "./address.ts";
import type { ClientClock } from "./client-clock.ts";

/** Where a server is spoken to over HTTP, and as whom. */
export interface HttpOptions {
  readonly address: Address;
  readonly token?: string;
  readonly clock: ClientClock;
  /** How long a watch tries to get back to a server that was there. */
  readonly reconnectMs: number;
}
