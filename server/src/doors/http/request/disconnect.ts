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

/** Makes the signal that aborts when the client disconnects. */
export function hangUpOf(response: ServerResponse): () => AbortSignal {
  return () => {
    const gone = new AbortController();
    onDisconnect(response, () => {
      gone.abort();
    });
    return gone.signal;
  };
}
