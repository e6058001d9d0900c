import { defined } from "../../base/defined.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { Intent } from "../packs/intent-operations.ts";
import type { Bridge } from "./bridge.ts";
import { intentError } from "./intent-errors.ts";
import { recoverRuns } from "./recover-runs.ts";
import type { RecoverOptions } from "./recover-runs.ts";
import { runSteps } from "./run-steps.ts";
import { holdIntents } from "./hold-intents.ts";
import type { HoldOptions, IntentCalls } from "./hold-intents.ts";

export interface BridgeSetOptions {
  /** The name of the pipeline, shown to others and used to find its runs. */
  readonly name: string;
  /** The effect of a failed bridge; `failfast` by default. */
  readonly mode?: "failfast" | "continue" | "selective";
  /** `pause` keeps the intent open, and the next execution begins with the failed bridge. */
  readonly onFailure?: "fail" | "pause";
  /** The lease of the run's lock, which is the time to detect a crash; 15,000 by default. */
  readonly ttlMs?: number;
}

export interface ExecuteOptions extends Pick<HoldOptions, "waitMs" | "signal"> {
  /** `auto` (default) resumes an open run of the same plan, `never` refuses it, `only` starts no new run. */
  readonly resume?: "auto" | "never" | "only";
}

/** A pipeline of bridges. */
export interface BridgeSet {
  /** Runs the bridges in order under the lock of the intent. It resumes a run that another owner left. */
  execute(id: string, options?: ExecuteOptions): Promise<Intent>;
  /** Resumes interrupted runs of this pipeline until the signal aborts. Returns how many it resumed. */
  recover(options: RecoverOptions): Promise<number>;
}

export function bridgeSet(
  calls: IntentCalls & { readonly client: CoreClient },
  bridges: readonly Bridge[],
  options: BridgeSetOptions,
): BridgeSet {
  const { name: pipeline, mode = "failfast", onFailure = "fail", ttlMs } = options;
  const planned = bridges.map(({ name, type, onError }) => defined({ name, type, onError }));
  const plan = { pipeline, mode, onFailure, bridges: planned };
  const execute: BridgeSet["execute"] = (id, { waitMs = 0, signal, resume = "auto" } = {}) => {
    const hold = defined({ waitMs, purpose: pipeline, ttlMs });
    return holdIntents(calls, [id], signal === undefined ? hold : { ...hold, signal }, async (lock, owner) => {
      const stop = watchStop(owner, calls.clock, { id, fence: lock.fence });
      try {
        const begun = await owner.operations.intents
          .run({ id, fence: lock.fence, ...plan, resume }, { key: `run ${lock.fence}` })
          .catch((error: unknown) => {
            throw intentError(error);
          });
        return await runSteps({ clock: calls.clock, owner, lock, bridges, stop: stop.signal, signal }, begun);
      } finally {
        stop.end();
      }
    });
  };
  return { execute, recover: (recovery) => recoverRuns({ ...calls, pipeline, execute }, recovery) };
}

/**
 * Delay before the watch for stops. Each advance also ends a stopped run, so a run of short steps needs no watch.
 */
const watchDelayMs = 50;

/**
 * A signal that aborts when a stop of the intent's run is requested, also while a bridge works. The watch begins after the
 * entry of the grant, which the fence names, so the delay misses no stop.
 */
function watchStop(
  owner: CoreClient,
  clock: ClientClock,
  { id, fence }: { readonly id: string; readonly fence: string },
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const after = fence.split(".").slice(0, 2).join(".");
  let events: ReturnType<CoreClient["watch"]> | undefined;
  const follow = async (): Promise<void> => {
    events = owner.watch({ after, names: ["evt.intent.stop_requested"], subject: `intent/${id}` });
    const { done } = await events.next();
    if (done !== true) controller.abort(new Error("a stop of the run was requested"));
  };
  // A watch that ends early costs nothing: the next advance of a stopped run ends it too.
  const cancel = clock.after(watchDelayMs, () => void follow().catch(() => undefined), { keepAlive: true });
  const end = (): void => {
    cancel();
    events?.return?.().catch(() => undefined);
  };
  return { signal: controller.signal, end };
}
