/**
 * The events of intents. Those with an audit name are records of the audit trail and change no state, so that the payload
 * of their entry can be erased.
 */
import Type from "typebox";
import type { TProperties } from "typebox";
import { version } from "../../conditions.ts";
import type { EventType } from "../../event-type.ts";
import { intentStatuses } from "./intent-statuses.ts";
import { bridgeName, runStates, stepError } from "./intent-runs.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });
const status = Type.Enum([...intentStatuses]);
const bridge = { run: count, bridge: bridgeName, bridge_type: Type.String() };

const record = (audit: string, summary: string, data: TProperties = {}): EventType => ({
  summary,
  data: Type.Object({ intent_id: Type.String(), actor: Type.String(), version, ...data }, closed),
  audit,
});

export const intentsEvents = {
  "intent.received": record("INTENT_RECEIVED", "An intent was created.", { status }),
  "intent.status_changed": record("STATUS_CHANGED", "The status of an intent changed.", {
    old_status: status,
    new_status: status,
  }),
  "intent.reevaluated": record("REEVALUATED", "A correction was applied to an intent.", {
    correction_id: Type.String(),
    retry_count: count,
    path: Type.Enum(["optimistic", "pessimistic"]),
  }),
  "intent.bridge_started": record("BRIDGE_STARTED", "A step of a run began.", {
    ...bridge,
    tried: count,
    takeovers: count,
  }),
  "intent.bridge_completed": record("BRIDGE_COMPLETED", "A step of a run is done.", { ...bridge, duration_ms: count }),
  "intent.bridge_failed": record("BRIDGE_FAILED", "A try of a step failed.", {
    ...bridge,
    error: stepError,
    duration_ms: count,
    will_retry: Type.Boolean(),
  }),
  "intent.run_started": record("RUN_STARTED", "A run of bridges began.", { run: count, pipeline: Type.String() }),
  "intent.run_resumed": record("RUN_RESUMED", "An owner took over an open run.", { run: count, takeovers: count }),
  "intent.run_interrupted": record("RUN_INTERRUPTED", "The lock of a run ended before the run.", {
    run: count,
    left: Type.String(),
  }),
  "intent.run_ended": record("RUN_ENDED", "A run ended or paused.", {
    run: count,
    state: Type.Enum([...runStates]),
    errors: count,
  }),
  "intent.stop_requested": record("STOP_REQUESTED", "A caller asked a run to stop.", {
    run: count,
    reason: Type.String(),
  }),
  "intent.correction_kept": {
    summary: "A correction is known. Its subject names the intent and the correction.",
    data: Type.Object({}, closed),
  },
  "intents.configured": {
    summary: "An operator changed the settings of intents.",
    data: Type.Object({ settings: Type.Record(Type.String(), Type.Unknown()) }, closed),
  },
} as const satisfies Record<string, EventType>;
