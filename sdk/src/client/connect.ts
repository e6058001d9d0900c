import { environment } from "#environment";
import { findAddress } from "./address.ts";
import { createClient } from "./client.ts";
import type { Client, ClientOptions } from "./client.ts";
import { systemClientClock } from "./client-clock.ts";
import { httpTransport } from "./http-transport.ts";
import { SocketTransport } from "./socket-transport.ts";

export interface ConnectOptions extends Omit<ClientOptions, "remote"> {
  /** The secret of a token; HOLDFAST_TOKEN, if not given. On the host of the server agents need none. */
  readonly token?: string;
  /** Speak as this agent: what its registration returned. */
  readonly agent?: { readonly agent_id: string; readonly secret?: string };
  /** The socket, unless there is no WebSocket here; HTTP sends each call as a request of its own, and is slower. */
  readonly transport?: "socket" | "http";
  /** How long to look for a server that was there and is gone, before what waits for it fails; 30 seconds. */
  readonly reconnectMs?: number;
}

/**
 * A client of a server, the same as `open` gives in process. Without an address it finds one: HOLDFAST_URL, then what a
 * running server wrote into the nearest `.holdfast`, then port 4653 of this host. It connects when it is first used.
 */
export async function connect(url?: string | URL, options: ConnectOptions = {}): Promise<Client> {
  const {
    agent,
    clock = systemClientClock,
    reconnectMs = 30_000,
    token = environment.variable("HOLDFAST_TOKEN"),
    transport: _transport,
    ...rest
  } = options;
  const given = token === undefined ? {} : { token };
  const address = findAddress(url, environment);
  const reach = { address, clock, reconnectMs, ...given };
  const usesHttp = options.transport === "http" || typeof WebSocket === "undefined";
  const transport = usesHttp ? httpTransport(reach) : new SocketTransport(reach);
  const client = createClient(transport, { ...rest, clock, remote: { url: address.url.href, ...given } });
  return agent === undefined ? client : client.as(agent);
}
