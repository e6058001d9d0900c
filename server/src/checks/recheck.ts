import type { Json } from "@holdfast/sdk/json/json";
import type { Command } from "../machine/entry.ts";
import type { WantedCheck } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import type { Check, CheckWork, CreateCheckWork } from "./check.ts";
import { runInline } from "./inline-runner.ts";
import { unitRows } from "./row-feed.ts";

/** Makes the evidence of a recorded command again, on the state before it. Undefined if this build lacks the check. */
type Recheck = (command: Command, wanted: WantedCheck, state: StateReader) => Json | undefined;

interface OpenedRecheck {
  readonly check: Check;
  readonly work: CheckWork;
}

/** Loads the modules of checks, to run them on this thread. */
export async function openRecheck(checks: readonly Check[]): Promise<Recheck> {
  const opened = new Map<string, OpenedRecheck>();
  for (const check of checks) {
    const { createCheckWork } = (await import(check.module.href)) as { readonly createCheckWork: CreateCheckWork };
    opened.set(check.name, { check, work: await createCheckWork(check.options ?? null, () => undefined) });
  }
  return (command, wanted, state) => {
    const known = opened.get(wanted.check);
    return known === undefined ? undefined : recheck(known, { command, wanted }, state);
  };
}

/** Every run loads its rows again: the state differs from entry to entry. */
function recheck(
  { check, work }: OpenedRecheck,
  { command, wanted }: { readonly command: Command; readonly wanted: WantedCheck },
  state: StateReader,
): Json {
  const units = new Set<string>();
  const load = (unit: string): void => {
    units.add(unit);
    work.load(unit, unitRows(state, check, unit), true);
  };
  const { id, operation, agent = null } = command;
  try {
    load(wanted.unit);
    return runInline(work.prepare({ id, operation, agent, after: 0, unit: wanted.unit, input: wanted.input }), load);
  } finally {
    for (const unit of units) work.unload(unit);
  }
}
