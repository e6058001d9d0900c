import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import type { LockType } from "./lock-type.ts";

/** The state of a node, read from its engine when the metrics are scraped. */
export interface NodeSample {
  readonly headPosition: number;
  readonly epoch: number;
  readonly waitingCommands: number;
  readonly isWritable: boolean;
  /** Time since the journal became unwritable; 0 while it is writable. */
  readonly outageMs: number;
  readonly stateBytes: number;
  readonly stateBytesMax: number;
  readonly checkpointPosition: number;
  /** Age of the newest entry in the checkpoint; 0 if no entry follows it. */
  readonly checkpointAgeMs: number;
  readonly subscriberCount: number;
  readonly agentCount: number;
  readonly ticketCount: number;
  readonly heldPaths: Readonly<Record<LockType, number>>;
}

/** The state of the process, measured by the operating system and the event loop. */
interface ProcessSample {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly startedAtMs: number;
  readonly loopDelaySeconds: { readonly p50: number; readonly p99: number; readonly max: number };
}

const unlabelledGauges: readonly [name: string, help: string, read: (sample: NodeSample) => number][] = [
  ["head_position", "The position of the last entry.", (sample) => sample.headPosition],
  ["epoch", "The current epoch; it rises when the history is restored or rolled back.", (sample) => sample.epoch],
  ["waiting_commands", "Commands in the queue of the engine.", (sample) => sample.waitingCommands],
  ["writable", "1 while the node accepts commands, 0 while it refuses them.", (sample) => Number(sample.isWritable)],
  [
    "journal_failing_seconds",
    "Seconds since the journal became unwritable; 0 while it is writable.",
    (sample) => sample.outageMs / 1000,
  ],
  ["state_bytes", "Approximate size of all rows, in bytes.", (sample) => sample.stateBytes],
  ["state_bytes_max", "The quota for state_bytes.", (sample) => sample.stateBytesMax],
  ["checkpoint_position", "The position of the newest checkpoint.", (sample) => sample.checkpointPosition],
  [
    "checkpoint_age_seconds",
    "Age of the newest entry in the checkpoint, in seconds.",
    (sample) => sample.checkpointAgeMs / 1000,
  ],
  ["subscribers", "Watchers of the journal, over all doors.", (sample) => sample.subscriberCount],
  ["agents", "Registered agents.", (sample) => sample.agentCount],
  ["waiting_tickets", "Tickets in the queues of locks.", (sample) => sample.ticketCount],
];

/** Gauges are set when they are scraped. No code updates them in between, so they cannot drift. */
export class NodeGauges {
  readonly #plain: readonly { readonly gauge: Gauge; readonly read: (sample: NodeSample) => number }[];
  readonly #active: Gauge<"lock_type">;
  readonly #loopDelay: Gauge<"quantile">;
  readonly #memory: Gauge<"kind">;
  readonly #started: Gauge;

  constructor(registry: Registry, version: string) {
    const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge<Label>({ name: `holdfast_${name}`, help, labelNames, registers: [registry] });
    this.#plain = unlabelledGauges.map(([name, help, read]) => ({ gauge: gauge(name, help), read }));
    this.#active = gauge("active_locks", "Held paths, by mode.", ["lock_type"]);
    this.#loopDelay = gauge("event_loop_delay_seconds", "Delay of the event loop since the last scrape.", ["quantile"]);
    this.#memory = gauge("process_memory_bytes", "Memory of the process: resident set and used heap.", ["kind"]);
    this.#started = gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.");
    gauge("build_info", "Always 1; the labels identify the build.", ["version", "node"])
      .labels({ version, node: process.version })
      .set(1);
  }

  set(node: NodeSample, process: ProcessSample): void {
    for (const { gauge, read } of this.#plain) gauge.set(read(node));
    for (const [lock_type, count] of Object.entries(node.heldPaths)) this.#active.set({ lock_type }, count);
    const { p50, p99, max } = process.loopDelaySeconds;
    for (const [quantile, value] of Object.entries({ "0.5": p50, "0.99": p99, "1": max })) {
      this.#loopDelay.set({ quantile }, value);
    }
    this.#memory.set({ kind: "resident" }, process.residentBytes);
    this.#memory.set({ kind: "heap" }, process.heapBytes);
    this.#started.set(process.startedAtMs / 1000);
  }
}
