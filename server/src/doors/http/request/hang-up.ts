/** Whether somebody is left who can be answered. A response is closed for good, and tells it a single time. */
import type { ServerResponse } from "node:http";

export function hasHungUp(response: ServerResponse): boolean {
  return response.destroyed;
}

/** Calls back once it has; at once, if it had already: whoever waited for anything before would wait for a word that was said. */
export function onHangUp(response: ServerResponse, callback: () => void): void {
  if (hasHungUp(response)) callback();
  else response.once("close", callback);
}
