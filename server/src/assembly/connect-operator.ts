import type { Client, Reads } from "@holdfast/sdk";
import { connectTo } from "@holdfast/sdk/connect-to";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { unixWebSocket } from "../doors/socket/unix-web-socket.ts";

interface ConnectOperatorOptions {
  readonly token?: string;
  readonly reads?: Reads;
}

/** A client over the operator's socket of a data folder. Only the user of that folder, or root, can listen there. */
export function connectOperator(server: FoundServer, path: string, options: ConnectOperatorOptions): Client {
  return connectTo(server, { ...options, openSocket: () => unixWebSocket(path) });
}
