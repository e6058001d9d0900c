/**
 * The streams on the nats-server. An existing stream that captures a subject is used under any name, and is never changed.
 * Only missing streams are created. An unusable stream is refused with the reason.
 */
import { AckPolicy, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { meshSubjects } from "@holdfast/sdk/contract";
import type { NatsLimits } from "./nats-limits.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** The durable consumer that all runtimes of a space share. */
export const consumerName = "holdfast";

const all = (prefix: string): string => `${prefix}.>`;
export const nanos = (ms: number): number => ms * 1_000_000;

export async function ensureCommandStream(jsm: JetStreamManager): Promise<StreamInfo> {
  const subject = all(meshSubjects.command);
  // An acknowledged command is deleted from the stream, together with the token in its headers.
  const missing = { name: "HOLDFAST_COMMANDS", retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New };
  const info = (await capturing(jsm, subject)) ?? (await add(jsm, subject, missing));
  refuseUnfit(info);
  return info;
}

export async function ensureEventStream(jsm: JetStreamManager, limits: NatsLimits): Promise<StreamInfo> {
  const subject = all(meshSubjects.event);
  const missing = { name: "HOLDFAST_EVENTS", max_bytes: limits.eventBytesMax, discard: DiscardPolicy.Old };
  const info = (await capturing(jsm, subject)) ?? (await add(jsm, subject, missing));
  refuseUnfit(info);
  const { name, subjects, max_age: age, retention, deny_delete: isUndeletable } = info.config;
  if (subjects.some((captured) => coversSubject(captured, all(meshSubjects.command)))) {
    throw new NatsConfigError(`the stream ${name} captures commands and events: use a separate stream for events`);
  }
  // Publishing continues after the last message. If that message can expire, the position to continue from is lost.
  if (age !== 0 || retention !== RetentionPolicy.Limits) {
    const setting = age === 0 ? `the retention ${retention}` : "max_age";
    throw new NatsConfigError(
      `the event stream ${name} has ${setting}, so its last message, after which publishing continues, can expire: use ` +
        "max_bytes or max_msgs with the retention limits instead",
    );
  }
  if (isUndeletable) {
    throw new NatsConfigError(
      `the event stream ${name} has deny_delete, so an erased payload cannot be removed from it: use another stream`,
    );
  }
  return info;
}

export async function ensureParkedStream(jsm: JetStreamManager): Promise<StreamInfo> {
  const subject = all(meshSubjects.parked);
  const missing = { name: "HOLDFAST_PARKED", max_msgs: 100_000, discard: DiscardPolicy.Old };
  return (await capturing(jsm, subject)) ?? (await add(jsm, subject, missing));
}

/** A stream that captures requests acknowledges them before a runtime can answer. */
export async function refuseCapturedRequests(jsm: JetStreamManager): Promise<void> {
  const [name] = await namesFor(jsm, all(meshSubjects.request));
  if (name === undefined) return;
  throw new NatsConfigError(
    `the stream ${name} captures ${all(meshSubjects.request)}, so a requester gets the acknowledgement of the stream ` +
      "instead of the answer: remove these subjects from the stream",
  );
}

export async function ensureConsumer(jsm: JetStreamManager, stream: string, limits: NatsLimits): Promise<ConsumerInfo> {
  const wanted: Partial<ConsumerConfig> = {
    durable_name: consumerName,
    description: "Holdfast: all runtimes of a space share it",
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    filter_subject: all(meshSubjects.command),
    ack_wait: nanos(limits.ackWaitMs),
    max_deliver: -1,
    max_ack_pending: limits.ackPendingMax,
  };
  const known = await consumerOf(jsm, stream);
  const info = known ?? (await jsm.consumers.add(stream, wanted));
  const {
    ack_policy: ack,
    max_deliver: deliveries = -1,
    deliver_subject: pushed,
    filter_subject: filter,
  } = info.config;
  const problem =
    ack !== AckPolicy.Explicit
      ? "does not use explicit acknowledgements"
      : pushed !== undefined
        ? "is a push consumer, so runtimes could not limit their load"
        : deliveries >= 0
          ? "has max_deliver, so commands would be lost while the journal is unavailable"
          : filter !== undefined && !coversSubject(filter, all(meshSubjects.command))
            ? "filters out some of the commands"
            : undefined;
  if (problem === undefined) return info;
  throw new NatsConfigError(
    `the consumer ${consumerName} of ${stream} ${problem}: delete it, and Holdfast creates it again`,
  );
}

async function consumerOf(jsm: JetStreamManager, stream: string): Promise<ConsumerInfo | undefined> {
  for await (const info of jsm.consumers.list(stream)) if (info.name === consumerName) return info;
  return undefined;
}

async function namesFor(jsm: JetStreamManager, subject: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of jsm.streams.names(subject)) names.push(name);
  return names;
}

/** The stream that captures all of a subject. Undefined if no stream captures any part of it. */
async function capturing(jsm: JetStreamManager, subject: string): Promise<StreamInfo | undefined> {
  const [name, ...others] = await namesFor(jsm, subject);
  if (name === undefined) return undefined;
  const info = await jsm.streams.info(name);
  if (others.length === 0 && info.config.subjects.some((captured) => coversSubject(captured, subject))) return info;
  const named = [name, ...others].join(", ");
  throw new NatsConfigError(
    `${named} captures parts of ${subject}: one stream must capture all of it, or no stream any part`,
  );
}

async function add(
  jsm: JetStreamManager,
  subject: string,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<StreamInfo> {
  try {
    return await jsm.streams.add({ storage: StorageType.File, ...config, subjects: [subject] });
  } catch (error) {
    // Another runtime may have created the stream at the same time.
    const existing = await capturing(jsm, subject);
    if (existing !== undefined) return existing;
    throw error;
  }
}

function refuseUnfit({ config }: StreamInfo): void {
  const problem = config.sealed
    ? "is sealed"
    : config.no_ack === true
      ? "does not acknowledge messages (no_ack)"
      : undefined;
  if (problem !== undefined) throw new NatsConfigError(`the stream ${config.name} ${problem}: use another stream`);
}

/** Warnings for the operator about a usable stream. */
export function streamWarnings({ config }: StreamInfo): readonly string[] {
  const isCommands = config.subjects.some((captured) => coversSubject(captured, all(meshSubjects.command)));
  const isDropping =
    config.discard === DiscardPolicy.Old &&
    (config.max_age > 0 || config.max_bytes > 0 || config.max_msgs > 0 || config.max_msgs_per_subject > 0);
  return [
    ...(config.storage === StorageType.Memory
      ? [`the stream ${config.name} is stored in memory only: its messages are lost when its server stops`]
      : []),
    ...(isCommands && isDropping
      ? [`the stream ${config.name} drops its oldest messages when it reaches a limit: commands may be lost`]
      : []),
    ...(isCommands && config.retention === RetentionPolicy.Limits
      ? [
          `the stream ${config.name} keeps commands after they are done, with their payloads and the tokens of their ` +
            "senders: use the retention workqueue",
        ]
      : []),
  ];
}

/** Whether each subject that matches `narrow` also matches `wide`. */
export function coversSubject(wide: string, narrow: string): boolean {
  const wides = wide.split(".");
  const narrows = narrow.split(".");
  for (const [index, token] of wides.entries()) {
    const other = narrows[index];
    if (token === ">") return other !== undefined;
    if (other === undefined || other === ">" || (token !== "*" && token !== other)) return false;
  }
  return wides.length === narrows.length;
}
