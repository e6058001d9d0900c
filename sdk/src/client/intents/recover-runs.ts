import { defined } from "../../base/defined.ts";
import { pause } from "../../base/pause.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { IntentCalls } from "./hold-intents.ts";

export interface RecoverOptions {
  /** Ends the recovery. */
  readonly signal: AbortSignal;
  /** Maximum runs at the same time; 4 by default. */
  readonly atOnce?: number;
  /** Called once if a run has another plan than this pipeline, for example after a deployment. Such runs are skipped. */
  readonly onPlanDiffers?: (error: Error) => void;
}

interface Recovery extends IntentCalls {
  readonly client: CoreClient;
  readonly pipeline: string;
  readonly execute: (
    id: string,
    options: { readonly resume: "only"; readonly signal: AbortSignal },
  ) => Promise<unknown>;
}

/** Maximum random delay before a takeover, so that not all workers try at the same moment. */
const spreadMs = 1_000;

/** Resumes the interrupted runs of a pipeline: those of a list first, then those of new events. */
export async function recoverRuns(recovery: Recovery, options: RecoverOptions): Promise<number> {
  const { client } = recovery;
  const { signal, atOnce = 4 } = options;
  const warn = onceOf(options.onPlanDiffers);
  const running = new Set<Promise<void>>();
  let resumed = 0;
  const start = async (id: string): Promise<void> => {
    while (running.size >= atOnce) await Promise.race(running);
    if (signal.aborted) return;
    const work = resume({ ...recovery, warn }, id, signal).then((isResumed) => {
      resumed += isResumed ? 1 : 0;
    });
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const after = await client.cursor();
  for await (const id of interruptedIntents(recovery, signal)) await start(id);
  const events = client.watch({ after, names: ["evt.intent.run_interrupted"] });
  const end = (): void => void events.return?.().catch(() => undefined);
  signal.addEventListener("abort", end);
  try {
    if (!signal.aborted) for await (const { subject } of events) await start(subject.slice("intent/".length));
  } finally {
    signal.removeEventListener("abort", end);
    await Promise.all(running);
  }
  return resumed;
}

function onceOf(warn: (error: Error) => void = () => undefined): (error: Error) => void {
  let isCalled = false;
  return (error) => {
    if (!isCalled) warn(error);
    isCalled = true;
  };
}

/** The ids of interrupted runs of the pipeline. */
async function* interruptedIntents({ client, pipeline }: Recovery, signal: AbortSignal): AsyncGenerator<string> {
  for (let after: string | undefined; !signal.aborted;) {
    const page = await client.operations.intents.list(defined({ run: "interrupted" as const, pipeline, after }));
    for (const { id } of page.items) yield id;
    if (page.next === null) return;
    after = page.next;
  }
}

/** Refusals of a takeover that mean: another worker has the run, or it is not a run of this plan. */
const skipped =
  /^(intents\.(lock_timeout|run_ended|plan_differs|transition_invalid)|(intents\.)?entity_(not_found|deleted))$/u;

async function resume(
  { client, clock, pipeline, execute, warn }: Recovery & { readonly warn: (error: Error) => void },
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  await pause(clock, clock.random() * spreadMs, { signal });
  if (signal.aborted) return false;
  try {
    const { run } = await client.operations.intents.get({ id, corrections: 0 });
    if (run?.state !== "interrupted" || run.pipeline !== pipeline) return false;
    await execute(id, { resume: "only", signal });
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "intents.plan_differs") warn(error);
    if (error instanceof HoldfastError && skipped.test(error.code)) return false;
    // The run has the failure of its bridge. A lost lock or an aborted signal leaves it interrupted for the next worker.
    return true;
  }
}
