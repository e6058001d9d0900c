/** Starts the rules of a newer build: by an entry, one number at a time, and only when every live node knows them. */
import type { Engine } from "../engine/engine.ts";
import { systemPrincipal } from "../engine/timer-watch.ts";
import { machineSettings } from "../features/space/space.ts";
import type { NodeCoordination } from "../journal/journal.ts";
import type { ServiceFactory } from "./service.ts";

/**
 * Number of consecutive checks that must agree. A node that briefly loses its connection is missing in one or two. It
 * would have to stop if the rules started without it.
 */
const checksRequired = 3;

/** For a journal with one node: all rules of this build start at once, before anything else is decided. */
export async function raiseCarriedRules(engine: Engine, carried: readonly number[]): Promise<void> {
  const current = await engine.read((state) => machineSettings(state).rules);
  for (const to of carried.filter((rules) => rules > current)) {
    const request = { operation: "raise-rules", input: { to }, principal: systemPrincipal, caller: systemPrincipal };
    await engine.execute({ ...request, bytes: 0 });
  }
}

/**
 * For a shared journal: newer rules start when all nodes know them. Several nodes may detect it at once. The first
 * raises the number, and the others find it raised.
 */
export function followRules(coordination: NodeCoordination, carried: readonly number[]): ServiceFactory {
  return ({ services: { engine }, fail }) => {
    let unsubscribe: () => void = () => undefined;
    let raising: Promise<void> | undefined;
    return {
      name: "follow-rules",
      start() {
        let dueCount = 0;
        unsubscribe = coordination.onClusterStatus(({ commonRules }) => {
          const current = engine.peek((state) => machineSettings(state).rules);
          const isDue = current !== undefined && commonRules > current;
          dueCount = isDue ? dueCount + 1 : 0;
          if (dueCount < checksRequired) return;
          const common = carried.filter((rules) => rules <= commonRules);
          // A failed append is retried by a later check.
          raising ??= raiseCarriedRules(engine, common)
            .catch(fail)
            .finally(() => {
              raising = undefined;
            });
        });
        return Promise.resolve();
      },
      async stop() {
        unsubscribe();
        await raising;
      },
      health: () => ({ rules: engine.peek((state) => machineSettings(state).rules) ?? null }),
    };
  };
}
