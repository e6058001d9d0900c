import { defined } from "../base/defined.ts";
import { environmentOf } from "#environment";
import { defaultServer, findServer, serverAt, tokenRisk } from "#find-server";
import type { ConnectTarget } from "./transport/address.ts";
import type { Client, ClientOptions } from "./client.ts";
import type { AgentIdentity } from "./core-client.ts";
import { connectTo } from "./connect-to.ts";
import type { FoundServer } from "./discovery/found-server.ts";

export interface ConnectOptions extends Omit<ClientOptions, "remote"> {
  /**
   * The secret of a token; HOLDFAST_TOKEN by default. On the server's host agents need none. A token is sent only to a
   * server that the program or its environment names.
   */
  readonly token?: string;
  /** Use the identity of this agent, as its registration returned it. */
  readonly agent?: AgentIdentity;
  /** The socket by default, if there is a WebSocket. HTTP sends each call as a request of its own, which is slower. */
  readonly transport?: "socket" | "http";
  /** Maximum time to reconnect to a lost server before pending calls fail; 30 seconds by default. */
  readonly reconnectMs?: number;
}

/**
 * A client of a server, with the same interface as `open`. It connects at its first use. Without an address it finds
 * the server that the command line finds:
 * - HOLDFAST_URL;
 * - the server on the folder of HOLDFAST_DATA, or on the nearest `.holdfast`. Without a server there it fails with the
 *   code `unreachable`;
 * - port 4653 of this host, if there is no such folder.
 *
 * An address of a folder is used only if folder and file belong to this user or to root. No other user can write to
 * them, and the server is on this host. A token is sent only to an address of the argument, of HOLDFAST_URL or of
 * HOLDFAST_DATA.
 *
 * Several nodes of one journal may be given as a list or separated by commas. The client uses one of them. When that
 * one is gone it continues with the next, with the same grants, tickets and watches.
 */
export async function connect(target?: ConnectTarget, options: ConnectOptions = {}): Promise<Client> {
  const { agent, token: own, ...rest } = options;
  const server = target === undefined ? (findServer() ?? defaultServer) : serverAt(target, "the given address");
  const token = tokenFor(server, own);
  const client = connectTo(server, { ...rest, ...defined({ token }) });
  return agent === undefined ? client : client.as(agent);
}

/** A token of the environment is withheld with a warning. A token of the program is an error of the program. */
function tokenFor(server: FoundServer, own: string | undefined): string | undefined {
  const environment = environmentOf();
  const token = own ?? environment.variable("HOLDFAST_TOKEN");
  const risk = tokenRisk(server);
  if (token === undefined || risk === undefined) return token;
  const next = "Pass the address to connect(), or set HOLDFAST_URL.";
  if (own !== undefined) throw new TypeError(`The token is not sent: ${risk}. ${next}`);
  environment.warn(`HOLDFAST_TOKEN is not sent: ${risk}. ${next}`);
  return undefined;
}
