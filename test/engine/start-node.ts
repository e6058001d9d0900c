import { defined } from "@holdfast/sdk/base/defined";
import type { Client } from "holdfast";
import type { AppServices } from "../../server/src/app/app-services.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { ManualClock } from "./manual-clock.ts";
import { StagedJournal } from "./staged-journal.ts";

export interface TestNode {
  readonly engine: Engine;
  readonly services: AppServices;
  readonly client: Client;
  readonly journal: StagedJournal;
  readonly clock: ManualClock;
  readonly disk: MemoryDisk;
  /** The messages that an operator would have got. */
  readonly reports: string[];
}

export interface TestNodeOptions {
  readonly disk?: MemoryDisk;
  readonly clock?: ManualClock;
  readonly checkpointEvery?: number;
  /** The rules that this build has. */
  readonly rules?: readonly number[];
  /** Changes the journal before the engine uses it. */
  readonly prepare?: (journal: StagedJournal) => void;
}

/** A real engine on a memory disk, with a clock and a journal that the test controls. */
export async function startNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const { disk = createMemoryDisk(), clock = new ManualClock() } = options;
  const journal = new StagedJournal(openMemoryJournal(disk));
  options.prepare?.(journal);
  const reports: string[] = [];
  const { checkpointEvery, rules } = options;
  const engine = await startEngine({
    journal,
    clock,
    ...defined({ checkpointEvery, rules }),
    report: (message) => reports.push(message),
  });
  const services = servicesOf(engine, { clock });
  return { engine, services, client: clientOf(services, { client: { retry: false } }), journal, clock, disk, reports };
}
