import type { CheckpointHeader, CheckpointStore } from "../journal/checkpoint.ts";
import { readJson } from "@holdfast/sdk/json/read-json";
import type { Machine } from "../machine/machine.ts";
import { StateHash } from "./state-hash.ts";

export interface LoadedCheckpoint {
  readonly machine: Machine;
  readonly header: CheckpointHeader;
}

/**
 * The newest checkpoint that proves itself: its rows must give the hash that was saved with them. One that does not is
 * reported and passed over, since folding more of the journal always leads to the same state; and the store is cleared,
 * so that nothing is ever built on it.
 */
export async function loadCheckpoint(
  store: CheckpointStore,
  createMachine: () => Machine,
  report: (message: string, cause: unknown) => void,
): Promise<LoadedCheckpoint | undefined> {
  let loaded: LoadedCheckpoint | undefined;
  let isBad = false;
  for (const facts of await store.list()) {
    const machine = createMachine();
    if (!machine.knowsRules(facts.rules)) continue;
    const trouble = await tryToFill(machine, store, facts);
    if (trouble === undefined) {
      loaded = { machine, header: facts };
      break;
    }
    isBad = true;
    const { message, cause } = trouble;
    report(`the checkpoint of position ${String(facts.head.position)} ${message}; it is not used`, cause);
  }
  if (isBad) await store.clear();
  return loaded;
}

async function tryToFill(
  machine: Machine,
  store: CheckpointStore,
  facts: CheckpointHeader,
): Promise<{ readonly message: string; readonly cause: unknown } | undefined> {
  try {
    if ((await fill(machine, store, facts)) === facts.stateHash) return undefined;
    return { message: "does not give its own hash", cause: undefined };
  } catch (cause) {
    return { message: "can't be read", cause };
  }
}

async function fill(machine: Machine, store: CheckpointStore, facts: CheckpointHeader): Promise<string> {
  const hash = new StateHash();
  for await (const slice of store.rows(facts)) {
    const rows = slice.flatMap(({ table, key, line }) => {
      if (line === undefined) return [];
      hash.add(table, line);
      return [{ table, key, row: readJson(line) }];
    });
    machine.load(rows);
  }
  return hash.text;
}
