import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterCells } from "./cells.ts";

/** How the mesh stands, and what has gone through it so far, as its door says when the figures are asked for. */
export interface MeshFacts {
  readonly isReady: boolean;
  readonly behind: number;
  readonly counts: Readonly<Record<CountName, number>>;
}

type CountName = keyof typeof counters;

const counters = {
  commands: ["deliveries", "Deliveries of commands from the stream, repeated ones included."],
  redeliveries: ["redeliveries", "Deliveries of commands that had been delivered before."],
  requests: ["requests", "Requests over NATS."],
  parked: ["parked", "Commands that nobody could read, and that were put aside."],
  published: ["published", "Events that this node has published."],
  repeated: ["repeated", "Events that were told again because their command came again."],
  disconnects: ["disconnects", "How often the connection to the nats-server was lost."],
} as const;

/** They are all there at zero from the start, mesh or not: an alert must not go silent because a series is missing. */
export class MeshFigures {
  readonly #counters: ReadonlyMap<CountName, CounterCells>;
  readonly #ready: Gauge;
  readonly #behind: Gauge;

  constructor(registry: Registry) {
    const named = Object.entries(counters) as [CountName, readonly [string, string]][];
    this.#counters = new Map(
      named.map(([name, [figure, help]]) => [
        name,
        new CounterCells(registry, { name: `holdfast_nats_${figure}_total`, help, labels: [] }),
      ]),
    );
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
    this.#ready = gauge("holdfast_nats_ready", "0 while a mesh is configured and does not work, else 1.");
    this.#behind = gauge("holdfast_nats_behind_entries", "How many entries the event stream is behind the journal.");
    this.#ready.set(1);
  }

  set({ isReady, behind, counts }: MeshFacts): void {
    this.#ready.set(Number(isReady));
    this.#behind.set(behind);
    for (const [name, counter] of this.#counters) counter.cell({}).count = counts[name];
  }
}
