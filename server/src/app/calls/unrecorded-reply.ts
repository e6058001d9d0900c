import type { CallReply } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import type { Outcome } from "../../machine/entry.ts";
import { copyJson } from "./copy-json.ts";

/** The reply to a call that became no entry: a read, a heartbeat, a refusal of the application layer. */
export function unrecordedReply(engine: Engine, outcome: Outcome): CallReply {
  const data = copyJson(outcome.data) as Record<string, unknown>;
  return { outcome: { ...outcome, data }, position: engine.head.position, replayed: false, events: [] };
}
