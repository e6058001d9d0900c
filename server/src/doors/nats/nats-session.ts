/** What runs on one connection: commands are taken, requests answered, events published. Each heals by itself. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { pause } from "@holdfast/sdk/base/pause";
import { CallerCache } from "./caller-cache.ts";
import { CommandConsumer } from "./command-consumer.ts";
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
import { readVersion, versionError } from "./server-version.ts";
import type { FailureTracker } from "./failure-tracker.ts";
import { SubjectActions } from "./subject-actions.ts";

export interface NatsSessionOptions extends NatsDoorOptions {
  readonly nc: NatsConnection;
  readonly limits: NatsLimits;
  readonly counters: NatsCounters;
  readonly failures: FailureTracker;
}

/** Room for headers in what the server takes in one message. */
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

  /** Looks at everything that must be there, and begins. Throws a StreamFault about what can not work. */
  static async open(options: NatsSessionOptions): Promise<NatsSession> {
    const { nc, limits } = options;
    const version = readVersion(nc.info?.version ?? "");
    const fault = versionError(version);
    if (fault !== undefined) throw new NatsConfigError(fault);
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
    return session;
  }

  get publisher(): EventPublisher | undefined {
    return this.#publisher;
  }

  #begin(): void {
    const { nc, gate, principal, kindCommands, limits, counters, report } = this.#options;
    const callers = new CallerCache(gate, principal);
    const options: CommandHandlerOptions = {
      actions: new SubjectActions(kindCommands),
      admit: (token) => callers.admit(token),
      bytesMax: () => this.#bytesMax(),
      onDefect: (error) => {
        report("a command from NATS met a defect", error);
        return undefined;
      },
    };
    const shared = { ...options, nc, counters, report, repeat: this.#repeat.bind(this) };
    const requests = answerRequests(shared);
    this.#stop.signal.addEventListener("abort", () => this.#running.push(requests.stop()));
    const consumer = new CommandConsumer({ ...shared, jsm: this.#jsm, limits, stop: this.#stop.signal });
    this.#running.push(
      this.#keepRunning("commands", (onReady) => consumer.run(onReady)),
      this.#keepRunning("events", (onReady) => this.#publish(onReady)),
    );
  }

  /** Takes nothing more, finishes what was taken, and leaves the rest where it is. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #bytesMax(): number {
    return (this.#options.nc.info?.max_payload ?? 1_048_576) - headerBytes;
  }

  /** Runs a part again, with growing pauses, whenever it fails; what is wrong is told once. */
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
        this.#noteEnd(part, undefined);
      } catch (error) {
        this.#noteEnd(part, error);
      }
      await pause(clock, backoff.next(), { keepAlive: false, signal });
    }
  }

  /** Ending because it was told to is no failures. */
  #noteEnd(part: string, error: unknown): void {
    if (!this.#stop.signal.aborted) this.#options.failures.record(part, error);
  }

  async #publish(onReady: () => void): Promise<void> {
    const { feed, clock, limits, publishAfter, ids, counters } = this.#options;
    const { config } = await ensureEventStream(this.#jsm, limits);
    this.#eventBytesMax = config.max_msg_size > 0 ? config.max_msg_size - headerBytes : Infinity;
    const tail = new EventTail({ js: this.#jsm.jetstream(), jsm: this.#jsm, stream: config.name, limits });
    this.#publisher = new EventPublisher({
      ...{ tail, feed, clock, limits, publishAfter },
      bytesMax: () => Math.min(this.#bytesMax(), this.#eventBytesMax),
      rank: (Number.parseInt(ids.unique().slice(0, 6), 16) % 1_000) / 1_000,
      newId: () => ids.unique(),
      stop: this.#stop.signal,
      onPublished: (count) => {
        counters.published += count;
      },
    });
    await this.#publisher.run(onReady);
  }

  async #repeat(event: MeshEvent, position: number): Promise<void> {
    if (this.#publisher === undefined) throw new Error("events are not published yet");
    await this.#publisher.repeat(event, position);
    this.#options.counters.repeated += 1;
  }
}
