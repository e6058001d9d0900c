import { publishedName, recordedAs } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { Json } from "@holdfast/sdk/json/json";
import type { Reply } from "../../engine/reply.ts";
import type { Event, Outcome } from "../../machine/entry.ts";
import { publishedData } from "../watch/entry-events.ts";
import { copyJson } from "./copy-json.ts";

/** A reply of the engine with this outcome, as a caller gets it. */
export function callReplyOf(
  { sharesData }: { readonly sharesData: boolean },
  { position, replayed, events }: Reply,
  outcome: Outcome,
  call: CallOptions,
): CallReply {
  const copy = sharesData ? identity : copyJson;
  const data = copy(outcome.data) as Record<string, unknown>;
  const sentEvents = call.events === false ? [] : events.map((event) => publishedEvent(event, copy));
  return { outcome: { ...outcome, data }, position, replayed, events: sentEvents };
}

function publishedEvent(event: Event, copy: (value: Json) => Json): CallReply["events"][number] {
  const { type, subject, data } = event;
  return recordedAs(type, { name: publishedName(event), subject, data: copy(publishedData(data)) });
}

const identity = (value: Json): Json => value;
