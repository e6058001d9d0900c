/**
 * The NATS door. Commands arrive from a durable stream or as requests. Events go from the journal to another stream. NATS
 * is only a transport. It may lose, repeat or reorder messages: the journal still contains each command once, and each
 * event is published once, in order. An outage of the nats-server loses no data and blocks no other door.
 */
import type { NatsConnection, Status } from "@nats-io/transport-node";
import { pause } from "@holdfast/sdk/base/pause";
import { connectNats, plaintextWarning, serverAddressError } from "./connect-nats.ts";
import { newNatsCounters } from "./nats-counters.ts";
import type { NatsCounters } from "./nats-counters.ts";
import { natsLimits } from "./nats-limits.ts";
import type { NatsLimits } from "./nats-limits.ts";
import { formatEventPosition } from "./mesh-event.ts";
import type { NatsDoorOptions } from "./nats-door-options.ts";
import { Backoff } from "./backoff.ts";
import { readServerVersion, versionWarnings } from "./server-version.ts";
import { StreamEraser } from "./stream-eraser.ts";
import { NatsSession } from "./nats-session.ts";
import { NatsConfigError } from "./nats-config-error.ts";
import { FailureTracker } from "./failure-tracker.ts";
import { defaultReplyPrefixes, replyPrefixesFault } from "./reply-addresses.ts";

/** Maximum time to flush written messages on close. */
const flushMs = 2_000;

/** The status of the door. */
export interface NatsStatus {
  /** Whether commands are consumed and events are published. */
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly server_version: string | null;
  /** Epoch, position and index of the last event in the stream. */
  readonly published: string | null;
  /** Entries by which the event stream is behind the journal. */
  readonly behind: number;
}

export interface NatsDoor {
  status(): NatsStatus;
  readonly counters: NatsCounters;
  /** The known limits of the version of the nats-server. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

/** Throws a NatsConfigError if the nats-server is unusable. If it does not answer, the door keeps connecting. */
export async function openNatsDoor(options: NatsDoorOptions): Promise<NatsDoor> {
  for (const server of options.servers) {
    const error = serverAddressError(server);
    if (error !== undefined) throw new NatsConfigError(`the address of the nats-server ${error}`);
  }
  const fault = replyPrefixesFault(options.replyPrefixes ?? defaultReplyPrefixes);
  if (fault !== undefined) throw new NatsConfigError(fault);
  const warning = plaintextWarning(options);
  if (warning !== undefined) options.report(warning, undefined);
  const door = new RunningNatsDoor(options);
  await door.start();
  return door;
}

class RunningNatsDoor implements NatsDoor {
  readonly counters = newNatsCounters();
  readonly #options: NatsDoorOptions;
  readonly #limits: NatsLimits;
  readonly #failures: FailureTracker;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  readonly #eraser: StreamEraser;
  #removeStream: (() => void) | undefined;
  #nc: NatsConnection | undefined;
  #isConnected = false;
  #session: NatsSession | undefined;
  #version: string | undefined;
  #connectionLoop: Promise<void> = Promise.resolve();

  constructor(options: NatsDoorOptions) {
    this.#options = options;
    this.#limits = { ...natsLimits, ...options.limits };
    this.#failures = new FailureTracker(options.report, options.notice);
    this.#backoff = new Backoff(this.#limits.backoff);
    const faults = (): readonly string[] => this.#failures.reasons;
    this.#eraser = new StreamEraser({ ...options, limits: this.#limits, faults });
  }

  /** Waits for the first attempt, so that the start fails with the reason if the nats-server is unusable. */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      await this.#drop();
      if (error instanceof NatsConfigError) throw error;
      this.#failures.record("connection", error);
    }
    this.#connectionLoop = this.#keepConnected();
  }

  status(): NatsStatus {
    const publisher = this.#session?.publisher;
    const head = this.#options.feed.head();
    const done = publisher?.donePosition ?? 0;
    const reasons = [
      ...this.#failures.reasons,
      ...(done > head ? [`the event stream is at position ${done}, ahead of this journal at position ${head}`] : []),
    ];
    return {
      ready: this.#isConnected && this.#session !== undefined && reasons.length === 0,
      reasons,
      server_version: this.#version ?? null,
      published: publisher?.published === undefined ? null : formatEventPosition(publisher.published),
      behind: Math.max(0, head - done),
    };
  }

  warnings(): readonly string[] {
    return this.#version === undefined ? [] : versionWarnings(readServerVersion(this.#version));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#session?.close();
    await this.#drop();
    await this.#connectionLoop;
    this.#removeStream?.();
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (this.#nc === undefined) await this.#connect();
        await this.#nc?.closed();
      } catch (error) {
        this.#failures.record("connection", error);
      }
      await this.#session?.close();
      await this.#drop();
      await pause(this.#options.clock, this.#backoff.next(), { keepAlive: false, signal });
    }
  }

  async #connect(): Promise<void> {
    const options = this.#options;
    const nc = await connectNats(options, () => this.#backoff.next());
    this.#nc = nc;
    void this.#follow(nc);
    this.#onConnected(nc);
    const [limits, counters, failures] = [this.#limits, this.counters, this.#failures];
    // The journal must know of the event stream before the first event is published.
    this.#removeStream ??= await options.erasures.addStream((erased) => this.#eraser.remove(erased));
    const eraser = this.#eraser;
    this.#session = await NatsSession.open({
      ...{ ...options, nc, limits, counters, failures, eraser },
      isConnected: () => this.#isConnected,
    });
  }

  #onConnected(nc: NatsConnection): void {
    this.#isConnected = true;
    this.#backoff.reset();
    this.#failures.clear("connection");
    const version = nc.info?.version;
    if (version === undefined || version === this.#version) return;
    this.#version = version;
    this.#options.notice(`connected to nats-server ${version}; limits of this version: ${this.warnings().join("; ")}`);
  }

  async #follow(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) this.#onStatus(nc, status);
  }

  #onStatus(nc: NatsConnection, status: Status): void {
    if (status.type === "disconnect") {
      this.#isConnected = false;
      this.counters.disconnects += 1;
      this.#failures.record("connection", new Error("the connection to the nats-server is lost"));
    } else if (status.type === "reconnect") this.#onConnected(nc);
    else if (status.type === "error") this.#options.report("the nats-server reports an error", status.error);
  }

  async #drop(): Promise<void> {
    const nc = this.#nc;
    const isConnected = this.#isConnected;
    this.#nc = undefined;
    this.#session = undefined;
    this.#isConnected = false;
    if (nc === undefined) return;
    // Written answers and acknowledgements must be sent. A nats-server that does not answer must not block the close.
    if (isConnected)
      await Promise.race([
        nc.flush().catch(() => undefined),
        pause(this.#options.clock, flushMs, { keepAlive: false }),
      ]);
    await nc.close();
  }
}
