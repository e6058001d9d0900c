import type { CallReply } from "@holdfast/sdk";
import type { Route } from "@holdfast/sdk/contract";
import type { DoorCallOptions } from "../../../operations/door-call-options.ts";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { callOnce } from "../../../operations/call.ts";
import type { Calls } from "../../../operations/call.ts";
import type { OperationRecord } from "../../../operations/operation-record.ts";
import type { Expected } from "../request/read-tags.ts";

/** A write to an entity on a resource route. */
interface ResourceWrite {
  readonly record: OperationRecord;
  readonly route: Route;
  readonly input: CanonicalObject;
  readonly expected: Expected;
  readonly options: DoorCallOptions;
}

/**
 * Sends a write with the version that its caller expects. A route that needs one refuses a write without it. The order of checks is the machine's: a known key is answered
 * first, then the input is checked, and the expected version last.
 */
export async function conditionalWrite(calls: Calls, write: ResourceWrite): Promise<CallReply> {
  const { record, route, input, expected, options } = write;
  if (route.needs === "if-none-match")
    return callOnce(calls, { record, input: { ...input, expected_version: 0 }, options });
  switch (expected.kind) {
    case "revision":
      return callOnce(calls, { record, input: { ...input, expected_revision: expected.revision }, options });
    case "unknown":
      // No version ever had this tag: its sender has read none, so every change is new to it.
      return callOnce(calls, { record, input: { ...input, expected_version: 0 }, options });
    case "nothing":
      return callOnce(calls, { record, input, options: { ...options, mustExpect: route.needs !== undefined } });
  }
}
