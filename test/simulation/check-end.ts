/** Checks at the end of a simulation, after all faults. */
import { currentEpoch } from "../../server/src/features/space/space-table.ts";
import { holdTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { canonicalText } from "../json/canonical-text.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { simulatedMachine, stateText } from "./simulated-machine.ts";
import type { Callers } from "./callers.ts";
import type { SimulatedNode } from "./node.ts";
import type { World } from "./world.ts";

/** The state of a simulation at its end. */
export interface FinalState {
  readonly world: World;
  readonly callers: Callers;
  readonly nodes: readonly SimulatedNode[];
  readonly disk: MemoryDisk;
}

export async function checkEnd(simulation: FinalState): Promise<void> {
  const { world, callers, nodes } = simulation;
  callers.checkAll();
  const entries = await readJournal(simulation);
  const recorded = world.history.entries.map(({ entry }) => entry);
  world.demand(
    canonicalText(entries as unknown as Json) === canonicalText(recorded as unknown as Json),
    "every acknowledged entry is in the journal",
    () => `the journal holds ${entries.length} entries, ${recorded.length} became durable`,
  );
  const folded = simulatedMachine();
  for (const entry of entries) folded.fold(entry);
  const expected = world.history.dump();
  world.demand(stateText(folded) === expected, "folding the journal gives the state", () => stateText(folded));
  world.demand(
    stateText(foldInChunks(simulation, entries)) === expected,
    "folding in chunks gives the state",
    () => "",
  );
  for (const node of nodes) node.compareState();
  const held = world.history.machine.durable.rows(holdTable).scan("owner", { limit: Infinity });
  const fences = (grants: Iterable<{ fence: string }>): string =>
    [...new Set(Array.from(grants, ({ fence }) => fence))].sort().join();
  world.demand(fences(held) === fences(world.locks.view.grants.values()), "the locks match the events", () =>
    JSON.stringify(held),
  );
  const epoch = currentEpoch(world.history.machine.durable);
  for (const { owner, lostEpoch } of nodes) {
    world.demand(
      lostEpoch === undefined || epoch > lostEpoch,
      "a lost history raises the epoch",
      () => `${owner} lost epoch ${lostEpoch ?? 0}, the journal is in ${epoch}`,
    );
  }
}

/** Reads all entries in pages of various sizes. The journal verifies its chain during the reads. */
async function readJournal({ world, disk }: FinalState): Promise<readonly Entry[]> {
  const journal = openMemoryJournal(disk);
  const entries: Entry[] = [];
  for (;;) {
    const page = await journal.read(entries.length, { entries: world.random.between(1, 50), bytes: Infinity });
    if (page.length === 0) break;
    entries.push(...page);
  }
  await journal.close();
  return entries;
}

/** Decides a part and rolls it back before folding it, like a node whose append failed. */
function foldInChunks({ world }: FinalState, entries: readonly Entry[]): Machine {
  const machine = simulatedMachine();
  let done = 0;
  while (done < entries.length) {
    const chunk = entries.slice(done, done + world.random.between(1, 20));
    for (const entry of chunk) {
      const { position, time, grace, rules: _rules, outcome: _outcome, events: _events, ...command } = entry;
      machine.decide(command, { position, time, grace, prior: undefined });
    }
    machine.undo();
    for (const entry of chunk) machine.fold(entry);
    done += chunk.length;
  }
  return machine;
}
