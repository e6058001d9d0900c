import type { Clock } from "../base/clock.ts";
import type { Entry } from "../machine/entry.ts";
import type { Decided } from "../machine/machine.ts";
import type { PendingCommand } from "./command-queue.ts";
import { engineLimits } from "./limits.ts";
import type { Replica } from "./replica.ts";

/** What a batch came to, before it is durable. */
export interface DecidedBatch {
  readonly results: readonly {
    readonly waiting: PendingCommand;
    readonly decided: Decided;
    readonly position: number;
  }[];
  readonly entries: readonly Entry[];
  /** Commands that must wait for the next batch: out of time, or with a key that this batch has just used. */
  readonly postponed: readonly PendingCommand[];
}

/** How often the clock is looked at while deciding. */
const commandsPerClockRead = 16;

/**
 * Decides commands one after the other, each on top of the one before. Two uses of one key never meet in a batch: the
 * second one waits, and finds the first in the journal.
 */
export function decideBatch(
  waiting: readonly PendingCommand[],
  place: {
    readonly replica: Replica;
    readonly priors: ReadonlyMap<string, Entry>;
    readonly grace: boolean;
    readonly clock: Clock;
  },
): DecidedBatch {
  const { replica, priors, grace, clock } = place;
  const time = replica.time.now();
  const start = clock.monotonicMs();
  const first = replica.head.position + 1;
  const entries: Entry[] = [];
  const results: DecidedBatch["results"][number][] = [];
  const postponed: PendingCommand[] = [];
  const scopes = new Set<string>();
  const { stateHashEvery } = replica.machine.settings;
  for (let index = 0; index < waiting.length; index += 1) {
    if (index % commandsPerClockRead === 0 && clock.monotonicMs() - start > engineLimits.batchDecideMs) {
      postponed.push(...waiting.slice(index));
      break;
    }
    const one = waiting[index] as PendingCommand;
    const { scope } = one;
    if (scope !== undefined && scopes.has(scope)) {
      postponed.push(one);
      continue;
    }
    const found = scope === undefined ? undefined : priors.get(scope);
    const prior = found === undefined ? undefined : replica.withoutErased(found);
    const { mustExpect } = one;
    const position = first + entries.length;
    const decided = replica.machine.decide(one.command, { position, time, grace, prior, mustExpect });
    if (decided.entry !== undefined) {
      entries.push(decided.entry);
      if (scope !== undefined) scopes.add(scope);
    }
    const seen = replica.head.position + entries.length;
    results.push({ waiting: one, decided, position: decided.replayed && prior !== undefined ? prior.position : seen });
    if (decided.entry !== undefined && seen % stateHashEvery === 0) {
      // The state is hashed at this very position, so the batch ends here.
      postponed.push(...waiting.slice(index + 1));
      break;
    }
  }
  return { results, entries, postponed };
}
