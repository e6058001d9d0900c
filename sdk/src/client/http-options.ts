import type { AddressRing } from "./address-ring.ts";
import type { ClientClock } from "./client-clock.ts";

/** Where a server is spoken to over HTTP, and as whom. */
export interface HttpOptions {
  readonly nodes: AddressRing;
  readonly token?: string;
  readonly clock: ClientClock;
  /** How long a watch tries to get back to a server that was there. */
  readonly reconnectMs: number;
}
