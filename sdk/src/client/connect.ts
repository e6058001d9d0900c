import { environmentOf } from "#environment";
import { parseAddresses } from "./address.ts";
import type { Address, Target } from "./address.ts";
import { AddressRing } from "./address-ring.ts";
import { createClient } from "./client.ts";
import type { Client, ClientOptions } from "./client.ts";
import { systemClientClock } from "./client-clock.ts";
import { defaultServer, findServer } from "./find-server.ts";
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
 * A client of a server, the same as `open` gives in process. Without an address it finds the server that the command
 * line finds: HOLDFAST_URL, then the server on the folder of HOLDFAST_DATA or on the nearest `.holdfast`, then port 4653
 * of this host. It connects when it is first used.
 *
 * Nodes that share a journal may all be named, as a list or between commas. It speaks to one of them; when that one is
 * gone it goes on with the next, with the same grants, tickets and watches.
 */
export async function connect(target?: Target, options: ConnectOptions = {}): Promise<Client> {
  const {
    agent,
    clock = systemClientClock,
    reconnectMs = 30_000,
    token = environmentOf().variable("HOLDFAST_TOKEN"),
    transport: _transport,
    ...rest
  } = options;
  const given = token === undefined ? {} : { token };
  const addresses = addressesOf(target);
  const reach = { nodes: new AddressRing(addresses, () => clock.random()), clock, reconnectMs, ...given };
  const usesHttp = options.transport === "http" || typeof WebSocket === "undefined";
  const transport = usesHttp ? httpTransport(reach) : new SocketTransport(reach);
  const remote = { urls: addresses.map(({ url }) => url.href), ...given };
  const client = createClient(transport, { ...rest, clock, remote });
  return agent === undefined ? client : client.as(agent);
}

function addressesOf(target: Target | undefined): readonly Address[] {
  if (target !== undefined) return parseAddresses(target, "the address given");
  const { url, from } = findServer() ?? defaultServer;
  return parseAddresses(url, from);
}
