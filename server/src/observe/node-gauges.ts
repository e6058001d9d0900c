import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import type { LockType } from "./metrics.ts";

/** How a node is doing, as its engine says when the figures are asked for. */
export interface NodeFacts {
  readonly headPosition: number;
  readonly epoch: number;
  readonly waitingCommands: number;
  readonly isWritable: boolean;
  /** How long the journal has not been writable; 0 if it is. */
  readonly troubleMs: number;
  readonly stateBytes: number;
  readonly stateBytesMax: number;
  readonly checkpointPosition: number;
  /** How far the newest saved entry lies back; 0 if nothing came after it. */
  readonly checkpointAgeMs: number;
  readonly subscriberCount: number;
  readonly agentCount: number;
  readonly ticketCount: number;
  readonly heldPaths: Readonly<Record<LockType, number>>;
}

/** The process, as the operating system and the event loop see it. */
export interface ProcessFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly startedAtMs: number;
  readonly loopDelaySeconds: { readonly p50: number; readonly p99: number; readonly max: number };
}

const plain: readonly [name: string, help: string, read: (facts: NodeFacts) => number][] = [
  ["head_position", "The position of the last entry.", (facts) => facts.headPosition],
  ["epoch", "The current epoch; it rises when history was restored or went back.", (facts) => facts.epoch],
  ["waiting_commands", "Commands that wait to be decided.", (facts) => facts.waitingCommands],
  ["writable", "1 if commands are decided, 0 if they are refused.", (facts) => Number(facts.isWritable)],
  ["journal_trouble_seconds", "For how long the journal can't be written; 0 if it can.", (f) => f.troubleMs / 1000],
  ["state_bytes", "About how many bytes all rows weigh together.", (facts) => facts.stateBytes],
  ["state_bytes_max", "The quota for state_bytes.", (facts) => facts.stateBytesMax],
  ["checkpoint_position", "The position up to which the state is saved.", (facts) => facts.checkpointPosition],
  ["checkpoint_age_seconds", "How far back the newest saved entry lies.", (facts) => facts.checkpointAgeMs / 1000],
  ["subscribers", "Who follows the journal: watchers of all doors.", (facts) => facts.subscriberCount],
  ["agents", "Registered agents.", (facts) => facts.agentCount],
  ["waiting_tickets", "Tickets in the queues of locks.", (facts) => facts.ticketCount],
];

/** Gauges are set when they are asked for: nobody keeps them up to date in between, so they can't drift. */
export class NodeGauges {
  readonly #plain: readonly { readonly gauge: Gauge; readonly read: (facts: NodeFacts) => number }[];
  readonly #active: Gauge<"lock_type">;
  readonly #loopDelay: Gauge<"quantile">;
  readonly #memory: Gauge<"kind">;
  readonly #started: Gauge;

  constructor(registry: Registry, version: string) {
    const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge<Label>({ name: `holdfast_${name}`, help, labelNames, registers: [registry] });
    this.#plain = plain.map(([name, help, read]) => ({ gauge: gauge(name, help), read }));
    this.#active = gauge("active_locks", "Paths that are held now, by mode.", ["lock_type"]);
    this.#loopDelay = gauge("event_loop_delay_seconds", "How late the event loop was since the last look.", [
      "quantile",
    ]);
    this.#memory = gauge("process_memory_bytes", "Memory of the process: resident, and in use on the heap.", ["kind"]);
    this.#started = gauge("process_start_time_seconds", "When the process started, in seconds since 1970.");
    gauge("build_info", "1; the labels say which build it is.", ["version", "node"])
      .labels({ version, node: process.version })
      .set(1);
  }

  set(node: NodeFacts, process: ProcessFacts): void {
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
