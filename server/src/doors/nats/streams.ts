/**
 * The streams on the server. Whatever captures a subject already is used as it is, whoever made it and however it is
 * named: nothing of it is ever changed. Only what is missing is made. What can not work is refused with the reason.
 */
import { AckPolicy, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { meshSubjects } from "@holdfast/sdk/contract";
import type { NatsLimits } from "./nats-limits.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** The durable consumer that all runtimes of a space share. */
export const consumerName = "holdfast";

const all = (prefix: string): string => `${prefix}.>`;
const nanos = (ms: number): number => ms * 1_000_000;

export async function ensureCommandStream(jsm: JetStreamManager): Promise<StreamInfo> {
  const subject = all(meshSubjects.command);
  // What was acknowledged leaves the stream, and the tokens in its headers with it.
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
  const { name, subjects, max_age: age, retention } = info.config;
  if (subjects.some((one) => covers(one, all(meshSubjects.command)))) {
    throw new NatsConfigError(`the stream ${name} captures commands and events: give events a stream of their own`);
  }
  // Publishing goes on after the last message. Where that can go away by itself, nobody would know where to go on.
  if (age !== 0 || retention !== RetentionPolicy.Limits) {
    const what = age === 0 ? `the retention ${retention}` : "a maximal age";
    throw new NatsConfigError(
      `the event stream ${name} has ${what}, so its last message, after which publishing goes on, can vanish: bound it ` +
        "by max_bytes or max_msgs instead, with retention limits",
    );
  }
  return info;
}

export async function ensureParkedStream(jsm: JetStreamManager): Promise<StreamInfo> {
  const subject = all(meshSubjects.parked);
  const missing = { name: "HOLDFAST_PARKED", max_msgs: 100_000, discard: DiscardPolicy.Old };
  return (await capturing(jsm, subject)) ?? (await add(jsm, subject, missing));
}

/** A stream that captures requests answers them itself, before anybody else can. */
export async function refuseCapturedRequests(jsm: JetStreamManager): Promise<void> {
  const [name] = await namesFor(jsm, all(meshSubjects.request));
  if (name === undefined) return;
  throw new NatsConfigError(
    `the stream ${name} captures ${all(meshSubjects.request)}, so whoever asks there gets the acknowledgement of the ` +
      "stream and not the answer: take these subjects out of it",
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
  const fault =
    ack !== AckPolicy.Explicit
      ? "does not ask for each acknowledgement"
      : pushed !== undefined
        ? "pushes, so runtimes could not take as much as they can do"
        : deliveries >= 0
          ? "gives up after some deliveries, so commands would be lost while the journal is away"
          : filter !== undefined && !covers(filter, all(meshSubjects.command))
            ? "leaves out some of the commands"
            : undefined;
  if (fault === undefined) return info;
  throw new NatsConfigError(`the consumer ${consumerName} of ${stream} ${fault}: delete it, and it is made anew`);
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

/** The one stream that captures all of a subject; undefined if none captures any of it. */
async function capturing(jsm: JetStreamManager, subject: string): Promise<StreamInfo | undefined> {
  const [name, ...others] = await namesFor(jsm, subject);
  if (name === undefined) return undefined;
  const info = await jsm.streams.info(name);
  if (others.length === 0 && info.config.subjects.some((one) => covers(one, subject))) return info;
  const named = [name, ...others].join(", ");
  throw new NatsConfigError(`${named} captures parts of ${subject}: let one stream capture all of it, or none any`);
}

async function add(
  jsm: JetStreamManager,
  subject: string,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<StreamInfo> {
  try {
    return await jsm.streams.add({ storage: StorageType.File, ...config, subjects: [subject] });
  } catch (error) {
    // Another runtime may have been faster; what it made is as good.
    const made = await capturing(jsm, subject);
    if (made !== undefined) return made;
    throw error;
  }
}

function refuseUnfit({ config }: StreamInfo): void {
  const fault = config.sealed
    ? "is sealed"
    : config.no_ack === true
      ? "does not acknowledge what it is given"
      : undefined;
  if (fault !== undefined) throw new NatsConfigError(`the stream ${config.name} ${fault}: use another one`);
}

/** What about a stream an operator should know, though it works. */
export function streamWarnings({ config }: StreamInfo): readonly string[] {
  const isCommands = config.subjects.some((one) => covers(one, all(meshSubjects.command)));
  const isDropping =
    config.discard === DiscardPolicy.Old &&
    (config.max_age > 0 || config.max_bytes > 0 || config.max_msgs > 0 || config.max_msgs_per_subject > 0);
  return [
    ...(config.storage === StorageType.Memory
      ? [`the stream ${config.name} is kept in memory only: what is in it is lost when its server stops`]
      : []),
    ...(isCommands && isDropping
      ? [`the stream ${config.name} drops its oldest messages when it is full or they are old: commands may be lost`]
      : []),
  ];
}

/** Whether every subject that fits `narrow` fits `wide`. */
export function covers(wide: string, narrow: string): boolean {
  const wides = wide.split(".");
  const narrows = narrow.split(".");
  for (const [index, token] of wides.entries()) {
    const other = narrows[index];
    if (token === ">") return other !== undefined;
    if (other === undefined || other === ">" || (token !== "*" && token !== other)) return false;
  }
  return wides.length === narrows.length;
}
