import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";

/** The state and the counters of the NATS door, read when the metrics are scraped. */
export interface MeshSample {
  readonly isReady: boolean;
  readonly behind: number;
  readonly counters: Readonly<Record<MeshCounterName, number>>;
}

type MeshCounterName = keyof typeof counters;

const counters = {
  commands: ["deliveries", "Deliveries of commands from the stream, repeated ones included."],
  redeliveries: ["redeliveries", "Repeated deliveries of commands from the stream."],
  requests: ["requests", "Requests over NATS."],
  droppedRequests: ["dropped_requests", "Requests that were dropped because their reply address is not allowed."],
  parked: ["parked", "Unreadable commands that were moved to the parked stream."],
  published: ["published", "Events that this node published."],
  repeated: ["repeated", "Events that were published again because their command was sent again."],
  disconnects: ["disconnects", "Lost connections to the nats-server."],
} as const;

/** All series exist at zero from the start, with or without a mesh. A missing series would silence an alert. */
export class MeshMetrics {
  readonly #counters: ReadonlyMap<MeshCounterName, CounterFamily>;
  readonly #ready: Gauge;
  readonly #behind: Gauge;

  constructor(registry: Registry) {
    const named = Object.entries(counters) as [MeshCounterName, readonly [string, string]][];
    this.#counters = new Map(
      named.map(([name, [metric, help]]) => [
        name,
        new CounterFamily(registry, { name: `holdfast_nats_${metric}_total`, help, labels: [] }),
      ]),
    );
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
    this.#ready = gauge("holdfast_nats_ready", "0 while a mesh is configured and does not work, otherwise 1.");
    this.#behind = gauge("holdfast_nats_behind_entries", "Entries by which the event stream is behind the journal.");
    this.#ready.set(1);
  }

  set({ isReady, behind, counters }: MeshSample): void {
    this.#ready.set(Number(isReady));
    this.#behind.set(behind);
    for (const [name, counter] of this.#counters) counter.series({}).count = counters[name];
  }
}
