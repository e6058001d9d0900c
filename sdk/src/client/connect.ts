import { environmentOf } from "#environment";
import { parseAddresses } from "./address.ts";
import type { Address, ConnectTarget } from "./address.ts";
import { AddressRing } from "./address-ring.ts";
import { createClient } from "./client.ts";
import type { Client, ClientOptions } from "./client.ts";
import { systemClientClock } from "./client-clock.ts";
import { defaultServer, findServer } from "./find-server.ts";
import { httpTransport } from "./http-transport.ts";
import { SocketTransport } from "./socket-transport.ts";

export interface ConnectOptions extends Omit<ClientOptions, "remote"> {
  /** The secret of a token; HOLDFAST_TOKEN by default. On the server's host agents need none. */
  readonly token?: string;
  /** Use the identity of this agent, as its registration returned it. */
  readonly agent?: { readonly agent_id: string; readonly secret?: string };
  /** The socket by default, if there is a WebSocket. HTTP sends each call as a request of its own, which is slower. */
  readonly transport?: "socket" | "http";
  /** Maximum time to reconnect to a lost server before pending calls fail; 30 seconds by default. */
  readonly reconnectMs?: number;
}

/**
 * A client of a server, with the same interface as `open`. It connects at its first use. Without an address it finds
 * the server that the command line finds:
 * - HOLDFAST_URL;
 * - the server on the folder of HOLDFAST_DATA, or on the nearest `.holdfast`;
 * - port 4653 of this host.
 *
 * Several nodes of one journal may be given as a list or separated by commas. The client uses one of them. When that
 * one is gone it continues with the next, with the same grants, tickets and watches.
 */
export async function connect(target?: ConnectTarget, options: ConnectOptions = {}): Promise<Client> {
  const {
    agent,
    clock = systemClientClock,
    reconnectMs = 30_000,
    token = environmentOf().variable("HOLDFAST_TOKEN"),
    transport: _transport,
    ...rest
  } = options;
  const addresses = addressesOf(target);
  const server = { nodes: new AddressRing(addresses, () => clock.random()), clock, reconnectMs, token };
  const usesHttp = options.transport === "http" || typeof WebSocket === "undefined";
  const transport = usesHttp ? httpTransport(server) : new SocketTransport(server);
  const remote = { urls: addresses.map(({ url }) => url.href), token };
  const client = createClient(transport, { ...rest, clock, remote });
  return agent === undefined ? client : client.as(agent);
}

function addressesOf(target: ConnectTarget | undefined): readonly Address[] {
  if (target !== undefined) return parseAddresses(target, "the given address");
  const { url, from } = findServer() ?? defaultServer;
  return parseAddresses(url, from);
}
