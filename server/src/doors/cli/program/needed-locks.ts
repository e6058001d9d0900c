/** Sends a change of a program as the agent of the command, under the locks that the server demands. */
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { registerNamed } from "../agent/register-named.ts";
import { secondsArgument } from "../args/option-values.ts";
import type { CommandOption } from "../command.ts";
import type { CallingAgent } from "../discovery/server-caller.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { defined } from "@holdfast/sdk/base/defined";

export const waitOption: CommandOption = {
  value: "TIME",
  isValueOptional: true,
  summary: "wait for the locks, without a limit or for at most TIME (default: do not wait)",
};

interface NeededLock {
  readonly path: string;
  readonly mode: "read" | "write";
  readonly scope: "self" | "tree";
}

/** Maximum rounds of a change: the locks of its functions, those of its new calls, and those of one change in between. */
const roundsMax = 4;

/**
 * Sends a change. A refusal names the locks that are missing. They are acquired together with the earlier ones as one set,
 * and released at the end. Locks that the agent holds already, such as those of `holdfast take`, stay.
 */
export async function withNeededLocks<Reply>(
  context: CommandContext,
  purpose: string | undefined,
  send: (agent: CallingAgent) => Promise<Reply>,
): Promise<Reply> {
  const agent = await registerNamed(context, purpose);
  const needed = new Map<string, NeededLock>();
  for (let round = 1; ; round += 1) {
    const error = await (needed.size === 0
      ? attempt(send, agent)
      : underLocks(context, { agent, locks: [...needed.values()], purpose }, () => attempt(send, agent)));
    if ("reply" in error) return error.reply;
    const { refused } = error;
    const acquire = (refused.data["acquire"] ?? []) as readonly NeededLock[];
    if (refused.code !== "programs.lock_required" || acquire.length === 0 || round === roundsMax) throw refused;
    for (const lock of acquire) needed.set(lock.path, lock);
  }
}

type Attempt<Reply> = { readonly reply: Reply } | { readonly refused: HoldfastError };

async function attempt<Reply>(
  send: (agent: CallingAgent) => Promise<Reply>,
  agent: CallingAgent,
): Promise<Attempt<Reply>> {
  try {
    return { reply: await send(agent) };
  } catch (error) {
    if (error instanceof HoldfastError) return { refused: error };
    throw error;
  }
}

interface LockSet {
  readonly agent: CallingAgent;
  readonly locks: readonly NeededLock[];
  readonly purpose: string | undefined;
}

async function underLocks<Result>(
  context: CommandContext,
  { agent, locks, purpose }: LockSet,
  work: () => Promise<Result>,
): Promise<Result> {
  const { wait } = context.values;
  await using connection = await context.connect();
  const { agent_id: agentId, secret } = agent;
  const client = connection.as({ agentId, ...defined({ secret }) });
  const options = defined({ purpose });
  await using lock = await (wait === true
    ? client.acquire(locks, options)
    : client.tryAcquire(locks, {
        ...options,
        waitMs: typeof wait === "string" ? secondsArgument(wait, "--wait", 1) * 1_000 : 0,
      }));
  if (!lock.granted)
    throw new HoldfastError("acquire-lock", "lock_denied", { data: { ...lock.data, reason: lock.message } });
  return await work();
}
