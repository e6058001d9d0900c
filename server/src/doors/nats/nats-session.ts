/** The tasks of one connection: consume commands, answer requests, publish events. Each task restarts after a failure. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { pause } from "@holdfast/sdk/base/pause";
import { CallerCache } from "./caller-cache.ts";
import { CommandConsumer } from "./command-consumer.ts";
import type { StreamEraser } from "./stream-eraser.ts";
import type { NatsCounters } from "./nats-counters.ts";
import { EventPublisher } from "./event-publisher.ts";
import { EventTail } from "./event-tail.ts";
import type { CommandHandlerOptions } from "./handle-command.ts";
import type { NatsLimits } from "./nats-limits.ts";
import type { MeshEvent } from "./mesh-event.ts";
import type { NatsDoorOptions } from "./nats-door-options.ts";
import { Backoff } from "./backoff.ts";
import { answerRequests } from "./answer-requests.ts";
import { ensureCommandStream, ensureConsumer, ensureEventStream, ensureParkedStream } from "./streams.ts";
import { refuseCapturedRequests, streamWarnings } from "./streams.ts";
import { NatsConfigError } from "./nats-config-error.ts";
import { readServerVersion, versionError } from "./server-version.ts";
import type { FailureTracker } from "./failure-tracker.ts";
import { DroppedRequests } from "./dropped-requests.ts";
import { ReplyAddresses } from "./reply-addresses.ts";
import { SubjectActions } from "./subject-actions.ts";

interface NatsSessionOptions extends NatsDoorOptions {
  readonly nc: NatsConnection;
  readonly limits: NatsLimits;
  readonly counters: NatsCounters;
  readonly failures: FailureTracker;
  readonly eraser: StreamEraser;
  readonly isConnected: () => boolean;
}

/** Bytes of the maximum message size that are reserved for headers. */
const headerBytes = 8_192;

export class NatsSession {
  readonly #options: NatsSessionOptions;
  readonly #jsm: JetStreamManager;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #publisher: EventPublisher | undefined;
  #eventBytesMax = Infinity;

  private constructor(options: NatsSessionOptions, jsm: JetStreamManager) {
    this.#options = options;
    this.#jsm = jsm;
  }

  /** Checks the streams and starts the tasks. Throws a NatsConfigError if the configuration of the nats-server is unusable. */
  static async open(options: NatsSessionOptions): Promise<NatsSession> {
    const { nc, limits } = options;
    const version = readServerVersion(nc.info?.version ?? "");
    const error = versionError(version);
    if (error !== undefined) throw new NatsConfigError(error);
    if (nc.info?.jetstream !== true) throw new NatsConfigError("the nats-server has no JetStream: start it with `-js`");
    const jsm = await jetstreamManager(nc, { checkAPI: false });
    const commands = await ensureCommandStream(jsm);
    await ensureConsumer(jsm, commands.config.name, limits);
    const events = await ensureEventStream(jsm, limits);
    await ensureParkedStream(jsm);
    await refuseCapturedRequests(jsm);
    for (const warning of [commands, events].flatMap(streamWarnings)) options.report(warning, undefined);
    const session = new NatsSession(options, jsm);
    session.#begin();
    // A request that is sent after the start must find the subscription. A lost connection is the door's to handle.
    await nc.flush().catch(() => undefined);
    return session;
  }

  get publisher(): EventPublisher | undefined {
    return this.#publisher;
  }

  #begin(): void {
    const { nc, gate, principal, operations, kindCommands, limits, counters, report, clock } = this.#options;
    const callers = new CallerCache(gate, principal);
    const replies = new ReplyAddresses(this.#options.replyPrefixes);
    const options: CommandHandlerOptions = {
      operations,
      actions: new SubjectActions(operations, kindCommands),
      replies,
      admit: (token) => callers.admit(token),
      bytesMax: () => this.#bytesMax(),
      onDefect: (error) => {
        report("a command from NATS failed with a defect", error);
        return undefined;
      },
    };
    const shared = { ...options, nc, counters, report, repeat: this.#repeat.bind(this) };
    const dropped = new DroppedRequests({ clock, prefixes: replies.prefixes, report });
    const requests = answerRequests({ ...shared, dropped });
    this.#stop.signal.addEventListener("abort", () => this.#running.push(requests.stop()));
    const consumer = new CommandConsumer({ ...shared, jsm: this.#jsm, limits, stop: this.#stop.signal });
    this.#running.push(
      this.#keepRunning("commands", (onReady) => consumer.run(onReady)),
      this.#keepRunning("events", (onReady) => this.#publish(onReady)),
    );
  }

  /** Consumes no more commands and finishes those in flight. The other commands stay in the stream. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #bytesMax(): number {
    return (this.#options.nc.info?.max_payload ?? 1_048_576) - headerBytes;
  }

  /** Runs a task again with backoff whenever it fails. Each failure is reported once. */
  async #keepRunning(part: string, run: (onReady: () => void) => Promise<void>): Promise<void> {
    const { limits, clock, failures } = this.#options;
    const backoff = new Backoff(limits.backoff);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await run(() => {
          backoff.reset();
          failures.clear(part);
        });
        this.#recordEnd(part, undefined);
      } catch (error) {
        this.#recordEnd(part, error);
      }
      await pause(clock, backoff.next(), { keepAlive: false, signal });
    }
  }

  /** The end of a task during a stop is not a failure. */
  #recordEnd(part: string, error: unknown): void {
    if (!this.#stop.signal.aborted) this.#options.failures.record(part, error);
  }

  async #publish(onReady: () => void): Promise<void> {
    const { feed, clock, limits, publishAfter, ids, counters, erasures, eraser, isConnected } = this.#options;
    const { config } = await ensureEventStream(this.#jsm, limits);
    this.#eventBytesMax = config.max_msg_size > 0 ? config.max_msg_size - headerBytes : Infinity;
    const { name: stream } = config;
    const newTail = (): EventTail => new EventTail({ js: this.#jsm.jetstream(), jsm: this.#jsm, stream, limits });
    const tail = newTail();
    const resumeErasures = (): void => void erasures.resume(() => eraser.published);
    const publisher = new EventPublisher({
      ...{ tail, feed, clock, limits, publishAfter },
      bytesMax: () => Math.min(this.#bytesMax(), this.#eventBytesMax),
      rank: (Number.parseInt(ids.unique().slice(0, 6), 16) % 1_000) / 1_000,
      newId: () => ids.unique(),
      stop: this.#stop.signal,
      onPublished: (count) => {
        counters.published += count;
      },
      onErasures: (published) => {
        eraser.add(published);
        resumeErasures();
      },
    });
    this.#publisher = publisher;
    eraser.use({ jsm: this.#jsm, stream, tail: newTail(), publishesAfter: () => publisher.startedAfter, isConnected });
    try {
      await publisher.run(() => {
        onReady();
        resumeErasures();
      });
    } finally {
      eraser.use(undefined);
    }
  }

  async #repeat(event: MeshEvent, position: number): Promise<void> {
    if (this.#publisher === undefined) throw new Error("the event publisher has not started");
    await this.#publisher.repeat(event, position);
    this.#options.counters.repeated += 1;
  }
}
