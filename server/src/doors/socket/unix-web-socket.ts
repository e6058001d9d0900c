import { connect } from "node:net";
import { WebSocket as UnixCapableSocket } from "ws";
import { socketPath } from "@holdfast/sdk/contract";

/** A WebSocket over a Unix socket. The built-in WebSocket supports only TCP. */
export function unixWebSocket(path: string): WebSocket {
  // The path is passed to `connect` as it is. In a URL of the scheme `ws+unix` a colon or a space would change it.
  const socket = new UnixCapableSocket(`ws://localhost${socketPath}`, {
    perMessageDeflate: false,
    createConnection: () => connect({ path }),
  });
  return socket as unknown as WebSocket;
}
