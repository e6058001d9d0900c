/** Whether the client has disconnected. A response reports its close only once. */
import type { ServerResponse } from "node:http";

export function hasDisconnected(response: ServerResponse): boolean {
  return response.destroyed;
}

/** Calls back when the client disconnects; at once, if it already has, since the event is not repeated. */
export function onDisconnect(response: ServerResponse, callback: () => void): void {
  if (hasDisconnected(response)) callback();
  else response.once("close", callback);
}
