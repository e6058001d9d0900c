import type { Clock } from "../base/clock.ts";
import type { Command, Entry } from "../machine/entry.ts";
import type { Decided } from "../machine/machine.ts";
import type { PendingCommand } from "./command-queue.ts";
import { engineLimits } from "./limits.ts";
import type { Replica } from "./replica.ts";
import { withArrival } from "./counterpart-scope.ts";

/** The decisions of a batch, before it is durable. */
export interface DecidedBatch {
  readonly results: readonly {
    readonly pending: PendingCommand;
    readonly decided: Decided;
    readonly position: number;
  }[];
  readonly entries: readonly Entry[];
  /** Commands for the next batch: the time limit was reached, or this batch already uses their key. */
  readonly postponed: readonly PendingCommand[];
}

/** Number of commands between two reads of the clock. */
const commandsPerClockRead = 16;

/**
 * Decides commands in order, each on the state that the one before left. A batch never holds two uses of one key. The
 * second use waits for the next batch and finds the first one in the journal.
 */
export function decideBatch(
  commands: readonly PendingCommand[],
  context: {
    readonly replica: Replica;
    /** The entries that used the keys of these commands, by scope. */
    readonly keyed: ReadonlyMap<string, Entry>;
    readonly grace: boolean;
    readonly clock: Clock;
  },
): DecidedBatch {
  const { replica, grace, clock } = context;
  const time = replica.time.now();
  const start = clock.monotonicMs();
  const first = replica.head.position + 1;
  const entries: Entry[] = [];
  const results: DecidedBatch["results"][number][] = [];
  const postponed: PendingCommand[] = [];
  const scopes = new Set<string>();
  const { stateHashEvery } = replica.machine.settings;
  for (let index = 0; index < commands.length; index += 1) {
    const isClockRead = index > 0 && index % commandsPerClockRead === 0;
    if (isClockRead && clock.monotonicMs() - start > engineLimits.batchDecideMs) {
      postponed.push(...commands.slice(index));
      break;
    }
    const pending = commands[index] as PendingCommand;
    const { scope, counterpart, mustExpect } = pending;
    if (isUsed(scopes, scope) || isUsed(scopes, counterpart)) {
      postponed.push(pending);
      continue;
    }
    const { command, prior } = resolveKey(pending, context);
    const position = first + entries.length;
    const decided = replica.machine.decide(command, { position, time, grace, prior, mustExpect });
    if (decided.entry !== undefined) {
      entries.push(decided.entry);
      if (scope !== undefined) scopes.add(scope);
    }
    const last = replica.head.position + entries.length;
    results.push({ pending, decided, position: decided.replayed && prior !== undefined ? prior.position : last });
    if (decided.entry !== undefined && last % stateHashEvery === 0) {
      // The state is hashed at this position, so the batch must end here.
      postponed.push(...commands.slice(index + 1));
      break;
    }
  }
  return { results, entries, postponed };
}

/**
 * Marks the commands of a batch without entries whose results must be decided again after a read of the head. Returns
 * true if there are any. No append proves these results, so another node may have changed the state that they are based
 * on. A fence that it granted a moment ago would be refused as unknown.
 */
export function mustReadHead({ results }: DecidedBatch): boolean {
  const unread = results.filter(({ pending, decided }) => !pending.isTimer && !pending.isHeadRead && !decided.replayed);
  for (const { pending } of unread) pending.isHeadRead = true;
  return unread.length > 0;
}

function isUsed(scopes: ReadonlySet<string>, scope: string | undefined): boolean {
  return scope !== undefined && scopes.has(scope);
}

/**
 * The entry that answers a command, if there is one: the withdrawal of the command, or the entry that used its key. A
 * withdrawal itself runs, with the evidence that its request has arrived.
 */
function resolveKey(
  { command, scope, counterpart, isWithdrawal }: PendingCommand,
  { keyed, replica }: { readonly keyed: ReadonlyMap<string, Entry>; readonly replica: Replica },
): { readonly command: Command; readonly prior: Entry | undefined } {
  if (keyed.size === 0) return { command, prior: undefined };
  const find = (used: string | undefined): Entry | undefined => {
    const found = used === undefined ? undefined : keyed.get(used);
    return found === undefined ? undefined : replica.withoutErased(found);
  };
  const [own, other] = [find(scope), find(counterpart)];
  if (!isWithdrawal) return { command, prior: other ?? own };
  return { command: own === undefined && other !== undefined ? withArrival(command, other) : command, prior: own };
}
