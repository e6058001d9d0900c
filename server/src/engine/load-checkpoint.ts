import type { CheckpointHeader, CheckpointStore } from "../journal/checkpoint.ts";
import { readJson } from "@holdfast/sdk/json/read-json";
import type { Machine } from "../machine/machine.ts";
import { StateHash } from "./state-hash.ts";

interface LoadedCheckpoint {
  readonly machine: Machine;
  readonly header: CheckpointHeader;
}

/**
 * Loads the newest valid checkpoint. The rows of a valid checkpoint match the hash that was saved with them.
 *
 * An invalid checkpoint is reported and skipped, because folding more of the journal leads to the same state. The store is
 * then cleared, so that no later checkpoint builds on it.
 */
export async function loadCheckpoint(
  store: CheckpointStore,
  createMachine: () => Machine,
  report: (message: string, cause: unknown) => void,
): Promise<LoadedCheckpoint | undefined> {
  let loaded: LoadedCheckpoint | undefined;
  let mustClear = false;
  for (const header of await store.list()) {
    const machine = createMachine();
    if (!machine.knowsRules(header.rules)) continue;
    const failure = await tryToFill(machine, store, header);
    if (failure === undefined) {
      loaded = { machine, header };
      break;
    }
    mustClear = true;
    const { message, cause } = failure;
    report(`the checkpoint of position ${String(header.head.position)} ${message}; it is not used`, cause);
  }
  if (mustClear) await store.clear();
  return loaded;
}

async function tryToFill(
  machine: Machine,
  store: CheckpointStore,
  header: CheckpointHeader,
): Promise<{ readonly message: string; readonly cause: unknown } | undefined> {
  try {
    if ((await fill(machine, store, header)) === header.stateHash) return undefined;
    return { message: "does not match its own hash", cause: undefined };
  } catch (cause) {
    return { message: "cannot be read", cause };
  }
}

async function fill(machine: Machine, store: CheckpointStore, header: CheckpointHeader): Promise<string> {
  const hash = new StateHash();
  for await (const slice of store.rows(header)) {
    const rows = slice.flatMap(({ table, key, line }) => {
      if (line === undefined) return [];
      hash.add(table, line);
      return [{ table, key, row: readJson(line) }];
    });
    machine.load(rows);
  }
  return hash.text;
}
