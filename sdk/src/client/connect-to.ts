import { addressesOf } from "./transport/address.ts";
import { AddressRing } from "./transport/address-ring.ts";
import { createClient } from "./client.ts";
import type { Client, ClientOptions } from "./client.ts";
import { systemClientClock } from "./client-clock.ts";
import { followRoots } from "./follow-roots.ts";
import type { FoundServer } from "./discovery/found-server.ts";
import type { HttpOptions } from "./transport/http-options.ts";
import { lazyTransport } from "./transport/lazy-transport.ts";
import type { LinkOptions } from "./transport/socket-link.ts";
import { SocketTransport } from "./transport/socket-transport.ts";
import type { Transport } from "./transport/transport.ts";

interface ConnectToOptions extends Omit<ClientOptions, "remote"> {
  readonly token?: string;
  readonly transport?: "socket" | "http";
  /** Maximum time to reconnect to a lost server before pending calls fail; 30 seconds by default. */
  readonly reconnectMs?: number;
  /** Opens each connection to the server, for a server that has no address of TCP. */
  readonly openSocket?: LinkOptions["openSocket"];
}

/** A client of a server that was found. It sends the given token and no other: it does not read the environment. */
export function connectTo(server: FoundServer, options: ConnectToOptions = {}): Client {
  const { clock = systemClientClock, reconnectMs = 30_000, token, transport: wanted, openSocket, ...rest } = options;
  const addresses = addressesOf(server.url, server.from);
  const link = { nodes: new AddressRing(addresses, () => clock.random()), clock, reconnectMs, token };
  if (openSocket !== undefined) return createClient(new SocketTransport({ ...link, openSocket }), { ...rest, clock });
  const usesHttp = wanted === "http" || typeof WebSocket === "undefined";
  const node = usesHttp ? lazyHttp(link) : new SocketTransport(link);
  const transport = addresses.length === 1 ? node : followRoots(node, { addresses, token, clock, reconnectMs });
  const remote = { urls: addresses.map(({ url }) => url.href), token };
  return createClient(transport, { ...rest, clock, remote });
}

/** Loaded on demand: nearly every client uses the socket. */
function lazyHttp(options: HttpOptions): Transport {
  return lazyTransport(async () => (await import("./transport/http-transport.ts")).httpTransport(options));
}
