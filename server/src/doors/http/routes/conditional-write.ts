import type { CallReply } from "@holdfast/sdk";
import type { Route } from "@holdfast/sdk/contract";
import type { DoorCallOptions, DoorTransport } from "@holdfast/sdk/door-transport";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import type { Expected } from "../request/read-tags.ts";

/** A write to an entity on a resource route. */
interface ResourceWrite {
  readonly operation: string;
  readonly route: Route;
  readonly input: CanonicalObject;
  readonly expected: Expected;
  readonly options: DoorCallOptions;
}

/**
 * Sends a write that must say which version it expects. The order of checks is the machine's: a known key is answered
 * first, then the input is checked, and the expected version last.
 */
export async function conditionalWrite(transport: DoorTransport, write: ResourceWrite): Promise<CallReply> {
  const { operation, route, input, expected, options } = write;
  if (route.needs === "if-none-match") return transport.call(operation, { ...input, expected_version: 0 }, options);
  switch (expected.kind) {
    case "revision":
      return transport.call(operation, { ...input, expected_revision: expected.revision }, options);
    case "unknown":
      // No version ever had this tag: its sender has read none, so every change is new to it.
      return transport.call(operation, { ...input, expected_version: 0 }, options);
    case "nothing":
      return transport.call(operation, input, { ...options, mustExpect: true });
  }
}
