import { publishedName, recordedAs } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Reply } from "../../engine/reply.ts";
import type { Event, Outcome } from "../../machine/entry.ts";
import { publishedData } from "../watch/entry-events.ts";
import { copyInto, copyJson } from "./copy-json.ts";

/** A reply of the engine with this outcome, as a caller gets it. */
export function callReplyOf(
  { sharesData }: { readonly sharesData: boolean },
  reply: Reply,
  outcome: Outcome,
  call: CallOptions,
): CallReply {
  const copy = sharesData ? identity : copyJson;
  const data = copy(outcome.data) as Record<string, unknown>;
  const { position, replayed } = reply;
  return { outcome: { ...outcome, data }, position, replayed, events: eventsOf(reply, call, copy) };
}

/** The reply to a command that is done, with its attachment. Every write gets it, so the data is made once. */
export function attachedReply(
  { sharesData }: { readonly sharesData: boolean },
  reply: Reply,
  attachment: JsonObject,
  call: CallOptions,
): CallReply {
  const recorded = reply.outcome.data;
  const data = sharesData ? { ...recorded, ...attachment } : copyInto(copyInto({}, recorded), attachment);
  const { position, replayed } = reply;
  const events = eventsOf(reply, call, sharesData ? identity : copyJson);
  return { outcome: { kind: "done", data }, position, replayed, events };
}

function eventsOf({ events }: Reply, call: CallOptions, copy: (value: Json) => Json): CallReply["events"] {
  return call.events === false ? [] : events.map((event) => publishedEvent(event, copy));
}

function publishedEvent(event: Event, copy: (value: Json) => Json): CallReply["events"][number] {
  const { type, subject, data } = event;
  return recordedAs(type, { name: publishedName(event), subject, data: copy(publishedData(data)) });
}

const identity = (value: Json): Json => value;
