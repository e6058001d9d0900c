import type { AddressRing } from "./address-ring.ts";
import type { ClientClock } from "../client-clock.ts";

/** The server and the identity of an HTTP transport. */
export interface HttpOptions {
  readonly nodes: AddressRing;
  readonly token?: string | undefined;
  readonly clock: ClientClock;
  /** Maximum time that a watch tries to reconnect to a lost server. */
  readonly reconnectMs: number;
}
