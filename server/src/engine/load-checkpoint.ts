import type { CheckpointFacts, CheckpointStore } from "../journal/checkpoint.ts";
import { readLine } from "../journal/read-line.ts";
import type { Machine } from "../machine/machine.ts";
import { StateHash } from "./state-hash.ts";

export interface Loaded {
  readonly machine: Machine;
  readonly facts: CheckpointFacts;
}

/**
 * The newest checkpoint that proves itself: its rows must give the hash that was saved with them. One that does not is
 * reported and passed over, since folding more of the journal always leads to the same state.
 */
export function loadCheckpoint(
  store: CheckpointStore,
  createMachine: () => Machine,
  report: (message: string, cause: unknown) => void,
): Loaded | undefined {
  for (const facts of store.list()) {
    const machine = createMachine();
    if (!machine.knowsRules(facts.rules)) continue;
    try {
      const found = fill(machine, store, facts);
      if (found === facts.stateHash) return { machine, facts };
      report(
        `the checkpoint of position ${String(facts.head.position)} does not give its own hash; it is not used`,
        undefined,
      );
    } catch (error) {
      report(`the checkpoint of position ${String(facts.head.position)} can't be read; it is not used`, error);
    }
  }
  return undefined;
}

function fill(machine: Machine, store: CheckpointStore, facts: CheckpointFacts): string {
  const hash = new StateHash();
  for (const slice of store.rows(facts)) {
    const rows = slice.flatMap(({ table, key, line }) => {
      if (line === undefined) return [];
      hash.add(table, line);
      return [{ table, key, row: readLine(line) }];
    });
    machine.load(rows);
  }
  return hash.text;
}
