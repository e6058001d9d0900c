/**
 * Holdfast on NATS. Commands come from a durable stream, or as requests; events go from the journal into another one.
 * NATS carries, and never holds the truth: whatever it loses, repeats or mixes up, the journal has each command once, and
 * every event is published once, in order. While the server is away nothing is lost and nothing else is in its way.
 */
import type { NatsConnection, Status } from "@nats-io/transport-node";
import { pause } from "@holdfast/sdk/base/pause";
import { connectNats, serverAddressError } from "./connect-nats.ts";
import { newNatsCounters } from "./nats-counters.ts";
import type { NatsCounters } from "./nats-counters.ts";
import { natsLimits } from "./nats-limits.ts";
import type { NatsLimits } from "./nats-limits.ts";
import { formatEventPosition } from "./mesh-event.ts";
import type { NatsDoorOptions } from "./nats-door-options.ts";
import { Backoff } from "./backoff.ts";
import { readVersion, versionWarnings } from "./server-version.ts";
import { NatsSession } from "./nats-session.ts";
import { NatsConfigError } from "./nats-config-error.ts";
import { FailureTracker } from "./failure-tracker.ts";

/** How long closing waits for what was written. */
const flushMs = 2_000;

/** How the door stands. */
export interface NatsStatus {
  /** Commands are taken and events are published. */
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly server_version: string | null;
  /** Epoch, position and index of the last event in the stream. */
  readonly published: string | null;
  /** How many entries the event stream is behind the journal. */
  readonly behind: number;
}

export interface NatsDoor {
  status(): NatsStatus;
  readonly counters: NatsCounters;
  /** What the version that was found can't be trusted with. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

/** Throws a StreamFault if the server is there and can not be used; if it is not there, the door opens when it comes. */
export async function openNatsDoor(options: NatsDoorOptions): Promise<NatsDoor> {
  for (const server of options.servers) {
    const fault = serverAddressError(server);
    if (fault !== undefined) throw new NatsConfigError(`the address of the nats-server ${fault}`);
  }
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
  #nc: NatsConnection | undefined;
  #isConnected = false;
  #session: NatsSession | undefined;
  #version: string | undefined;
  #living: Promise<void> = Promise.resolve();

  constructor(options: NatsDoorOptions) {
    this.#options = options;
    this.#limits = { ...natsLimits, ...options.limits };
    this.#failures = new FailureTracker(options.report, options.notice);
    this.#backoff = new Backoff(this.#limits.backoff);
  }

  /** The first attempt is waited for, so that whoever starts this learns at once what it can not use. */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      await this.#drop();
      if (error instanceof NatsConfigError) throw error;
      this.#failures.record("connection", error);
    }
    this.#living = this.#live();
  }

  status(): NatsStatus {
    const publisher = this.#session?.publisher;
    const head = this.#options.feed.head();
    const done = publisher?.donePosition ?? 0;
    const reasons = [
      ...this.#failures.reasons,
      ...(done > head ? [`the event stream is at ${done}, ahead of this journal, which is at ${head}`] : []),
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
    return this.#version === undefined ? [] : versionWarnings(readVersion(this.#version));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#session?.close();
    await this.#drop();
    await this.#living;
  }

  async #live(): Promise<void> {
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
    this.#up(nc);
    const [limits, counters, failures] = [this.#limits, this.counters, this.#failures];
    this.#session = await NatsSession.open({ ...options, nc, limits, counters, failures });
  }

  #up(nc: NatsConnection): void {
    this.#isConnected = true;
    this.#backoff.reset();
    this.#failures.clear("connection");
    const version = nc.info?.version;
    if (version === undefined || version === this.#version) return;
    this.#version = version;
    this.#options.notice(`connected to nats-server ${version}; with it, know that: ${this.warnings().join("; ")}`);
  }

  async #follow(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) this.#note(nc, status);
  }

  #note(nc: NatsConnection, status: Status): void {
    if (status.type === "disconnect") {
      this.#isConnected = false;
      this.counters.disconnects += 1;
      this.#failures.record("connection", new Error("the nats-server is away"));
    } else if (status.type === "reconnect") this.#up(nc);
    else if (status.type === "error") this.#options.report("the nats-server refuses something", status.error);
  }

  async #drop(): Promise<void> {
    const nc = this.#nc;
    const isConnected = this.#isConnected;
    this.#nc = undefined;
    this.#session = undefined;
    this.#isConnected = false;
    if (nc === undefined) return;
    // Answers and acknowledgements that were written must leave; a server that is away does not hold this up.
    if (isConnected)
      await Promise.race([
        nc.flush().catch(() => undefined),
        pause(this.#options.clock, flushMs, { keepAlive: false }),
      ]);
    await nc.close();
  }
}
