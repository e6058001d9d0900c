/**
 * The socket door has commands, replies and events of many agents over one WebSocket, on the port of the HTTP door. It
 * is the fast path. Messages of one tick share a frame, and an event is serialised once for all watches.
 */
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { socketPath } from "@holdfast/sdk/contract";
import { bearerToken } from "../../access/bearer-token.ts";
import { allowedHostsOf, foreignRequest, unsupportedBody } from "../../access/foreign-request.ts";
import type { AllowedHosts } from "../../access/foreign-request.ts";
import { admitLatest } from "../../access/gate.ts";
import type { Gate } from "../../access/gate.ts";
import { isLoopback } from "../../access/is-loopback.ts";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { Connection } from "./connection.ts";
import { defaultSocketLimits } from "./limits.ts";
import type { SocketLimits } from "./limits.ts";
import { Pace } from "../pace.ts";
import { SocketPings } from "./socket-pings.ts";

interface SocketDoorOptions {
  /** The server of the HTTP door, or its listener on a Unix socket. */
  readonly server: Server;
  readonly gate: Gate;
  readonly operations: OperationRegistry;
  /** Host names of this server, in addition to those of loopback. */
  readonly hostNames?: readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** The version of the server, for `welcome`. */
  readonly version: string;
  /** Reports unexpected errors, which are bugs. */
  readonly report: (message: string, cause: unknown) => void;
  readonly limits?: Partial<SocketLimits>;
}

interface SocketDoor {
  /** Answers pending calls, sends `bye`, and closes every socket. */
  close(): Promise<void>;
}

export function openSocketDoor(options: SocketDoorOptions): SocketDoor {
  const { server, clock } = options;
  const limits = { ...defaultSocketLimits, ...options.limits };
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.frameBytesMax,
  });
  const pace = new Pace(clock, limits.eventsEveryMs);
  const connections = new Set<Connection>();
  const pings = new SocketPings(clock, limits.pingEveryMs);
  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const admit = admitterOf(options, request);
    const connection = new Connection(socket, {
      operations: options.operations,
      clock,
      limits,
      pace,
      version: options.version,
      report: options.report,
      admit,
    });
    connections.add(connection);
    pings.follow(socket);
    socket.on("close", () => connections.delete(connection));
  };
  // A Unix socket has a path and no port. A web page cannot reach it.
  const address = server.address() as AddressInfo | string;
  const allowed = typeof address === "string" ? undefined : allowedHostsOf(address.port, options.hostNames);
  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const status = refusalOf(request, { allowed, isFull: connections.size >= limits.socketsMax });
    if (status === undefined) sockets.handleUpgrade(request, stream, head, accept);
    else stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  };
  server.on("upgrade", upgrade);
  return {
    async close() {
      server.off("upgrade", upgrade);
      await Promise.all([...connections].map((connection) => connection.stop()));
      pings.stop();
    },
  };
}

interface Guard {
  /** The host names of the server; undefined for a Unix socket. */
  readonly allowed: AllowedHosts | undefined;
  readonly isFull: boolean;
}

/** A page of another site can open sockets too, and browsers do not prevent it. Only the headers reveal it. */
function refusalOf({ url = "", method = "GET", headersDistinct }: IncomingMessage, guard: Guard): string | undefined {
  if (url.split("?", 1)[0] !== socketPath) return "404 Not Found";
  const origin = { method, headers: headersDistinct };
  const foreign = guard.allowed === undefined ? unsupportedBody(origin) : foreignRequest(origin, guard.allowed);
  if (foreign !== undefined) return "403 Forbidden";
  // Node keeps the first one of two, and a proxy may have checked the other one.
  if ((headersDistinct["authorization"]?.length ?? 0) > 1) return "400 Bad Request";
  return guard.isFull ? "503 Service Unavailable" : undefined;
}

/** A token is in the header or, from browsers, which cannot set one, in `hello`. It is never in the URL. */
function admitterOf({ gate, ids }: SocketDoorOptions, { headers, socket }: IncomingMessage) {
  const headerToken = bearerToken(headers.authorization);
  const connection = ids.unique();
  return async (token = headerToken) =>
    admitLatest(gate, {
      token,
      isLoopback: isLoopback(socket.remoteAddress),
      connection,
      door: "socket",
    });
}
