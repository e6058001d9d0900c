/** How a newer build's rules start: by an entry, one number at a time, and only when nobody is left who lacks them. */
import type { Engine } from "../engine/engine.ts";
import { systemPrincipal } from "../engine/timer-watch.ts";
import { machineSettings } from "../features/space/space.ts";
import type { NodeCoordination } from "../journal/journal.ts";

/** A node that lost its connection for a moment is not there for a look or two, and would have to stop. */
const looksInARow = 3;

/** Of a journal that this node has for itself: whatever it carries may start now. */
export async function raiseRules(engine: Engine, carried: readonly number[]): Promise<void> {
  const current = await engine.read((state) => machineSettings(state).rules);
  for (const to of carried.filter((rules) => rules > current)) {
    const request = { operation: "raise-rules", input: { to }, principal: systemPrincipal, caller: systemPrincipal };
    await engine.execute({ ...request, bytes: 0 });
  }
}

/**
 * Of a journal that several nodes share: as soon as all of them carry newer rules, these start. Several nodes may find so
 * at once; the first one raises the number, the others find it raised. It ends with the journal.
 */
export function followCommonRules(engine: Engine, coordination: NodeCoordination, carried: readonly number[]): void {
  let seenCount = 0;
  let raising: Promise<void> | undefined;
  coordination.onClusterStatus(({ commonRules }) => {
    const current = engine.peek((state) => machineSettings(state).rules);
    const isDue = current !== undefined && commonRules > current;
    seenCount = isDue ? seenCount + 1 : 0;
    if (seenCount < looksInARow) return;
    const common = carried.filter((rules) => rules <= commonRules);
    // What could not be written now is found due again by a later look.
    raising ??= raiseRules(engine, common).finally(() => {
      raising = undefined;
    });
  });
}
