import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isLoopback } from "./is-loopback.ts";

interface ConnectionBounds {
  /** Maximum connections of one address. */
  readonly perAddressMax: number;
  /** Maximum connections of all addresses. */
  readonly totalMax: number;
}

interface OpenConnection {
  readonly address: string;
  /** Requests without a complete answer. An upgraded connection is never idle. */
  busyCount: number;
}

/**
 * Bounds the open connections of a listener. At a bound the connection that has been idle for the longest time is
 * closed for the new one. At the bound of an address it is one of that address. So a program that only holds
 * connections does not shut out others. Without an idle connection the new one is closed, before a byte is read.
 */
export function limitConnections(server: Server, { perAddressMax, totalMax }: ConnectionBounds): void {
  const open = new Map<Socket, OpenConnection>();
  const counts = new Map<string, number>();
  // A set keeps the order of insertion: the first one has been idle for the longest time.
  const idle = new IdleConnections();
  const forget = (socket: Socket): void => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    idle.delete(socket, connection.address);
    const left = (counts.get(connection.address) ?? 1) - 1;
    if (left === 0) counts.delete(connection.address);
    else counts.set(connection.address, left);
  };
  const closeOne = (socket: Socket | undefined): boolean => {
    if (socket === undefined) return false;
    forget(socket);
    socket.destroy();
    return true;
  };
  const hasRoom = (address: string): boolean =>
    ((counts.get(address) ?? 0) < perAddressMax || closeOne(idle.longestOf(address))) &&
    (open.size < totalMax || closeOne(idle.longest()));
  const busy = (socket: Socket): OpenConnection | undefined => {
    const connection = open.get(socket);
    if (connection === undefined) return undefined;
    connection.busyCount += 1;
    idle.delete(socket, connection.address);
    return connection;
  };
  server.on("connection", (socket: Socket) => {
    const address = sharedAddress(socket.remoteAddress ?? "");
    if (!hasRoom(address)) {
      socket.destroy();
      return;
    }
    open.set(socket, { address, busyCount: 0 });
    counts.set(address, (counts.get(address) ?? 0) + 1);
    idle.add(socket, address);
    socket.once("close", () => {
      forget(socket);
    });
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = busy(socket);
    if (connection === undefined) return;
    response.once("close", () => {
      connection.busyCount -= 1;
      if (connection.busyCount === 0 && open.has(socket)) idle.add(socket, connection.address);
    });
  });
  server.on("upgrade", ({ socket }: IncomingMessage) => {
    // The socket door has closed. Nothing else would answer, and the open connection would keep the server from closing.
    if (server.listenerCount("upgrade") === 1) socket.destroy();
    else busy(socket);
  });
}

/**
 * The name under which the connections of an address are counted. A program on this host can use each of the 16 million
 * addresses of the loopback interface. With two of them it would reach the bound of all addresses. So they count as
 * one.
 */
export function sharedAddress(address: string): string {
  return isLoopback(address) ? "loopback" : address;
}

/** Idle connections, in the order in which they became idle. */
class IdleConnections {
  readonly #all = new Set<Socket>();
  readonly #byAddress = new Map<string, Set<Socket>>();

  add(socket: Socket, address: string): void {
    this.#all.add(socket);
    const own = this.#byAddress.get(address);
    if (own === undefined) this.#byAddress.set(address, new Set([socket]));
    else own.add(socket);
  }

  delete(socket: Socket, address: string): void {
    this.#all.delete(socket);
    const own = this.#byAddress.get(address);
    own?.delete(socket);
    if (own?.size === 0) this.#byAddress.delete(address);
  }

  longest(): Socket | undefined {
    return this.#all.values().next().value;
  }

  longestOf(address: string): Socket | undefined {
    return this.#byAddress.get(address)?.values().next().value;
  }
}
