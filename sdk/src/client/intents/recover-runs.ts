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

/**
 * Interval between two lists of the interrupted runs. A takeover is refused while a person holds the lock of the intent,
 * and no event follows when the person is done.
 */
const listIntervalMs = 30_000;

/** Resumes the interrupted runs of a pipeline: those of a list first, then those of new events and of later lists. */
export async function recoverRuns(recovery: Recovery, options: RecoverOptions): Promise<number> {
  const { client } = recovery;
  const { signal, atOnce = 4 } = options;
  const warn = onceOf(options.onPlanDiffers);
  const running = new Map<string, Promise<void>>();
  /** Intents with an interrupted run of another plan. */
  const foreign = new Set<string>();
  let resumed = 0;
  const start = async (id: string): Promise<void> => {
    while (running.size >= atOnce) await Promise.race(running.values());
    if (signal.aborted || running.has(id)) return;
    const work = resume(recovery, id, signal).then((result) => {
      if (result === "resumed") resumed += 1;
      if (result instanceof HoldfastError) {
        foreign.add(id);
        warn(result);
      }
    });
    running.set(id, work);
    void work.finally(() => running.delete(id));
  };
  const listAgain = async (): Promise<void> => {
    for (;;) {
      await pause(recovery.clock, listIntervalMs, { keepAlive: false, signal });
      if (signal.aborted) return;
      try {
        for await (const id of interruptedIntents(recovery, signal)) if (!foreign.has(id)) await start(id);
      } catch {
        // The server does not answer. The next list comes later.
      }
    }
  };
  const after = await client.cursor();
  for await (const id of interruptedIntents(recovery, signal)) await start(id);
  const events = client.watch({ after, names: ["evt.intent.run_interrupted"] });
  const end = (): void => void events.return?.().catch(() => undefined);
  signal.addEventListener("abort", end);
  void listAgain();
  try {
    if (!signal.aborted) for await (const { subject } of events) await start(subject.slice("intent/".length));
  } finally {
    signal.removeEventListener("abort", end);
    await Promise.all(running.values());
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

/** Refusals of a takeover that mean: another owner has the intent, or it has no run to resume. */
const skipped = /^(intents\.(lock_timeout|run_ended|transition_invalid)|(intents\.)?entity_(not_found|deleted))$/u;

/** The result is the refusal if the run has another plan. */
async function resume(
  { client, clock, pipeline, execute }: Recovery,
  id: string,
  signal: AbortSignal,
): Promise<"resumed" | "skipped" | HoldfastError> {
  await pause(clock, clock.random() * spreadMs, { signal });
  if (signal.aborted) return "skipped";
  try {
    const { run } = await client.operations.intents.get({ id, corrections: 0 });
    if (run?.state !== "interrupted" || run.pipeline !== pipeline) return "skipped";
    await execute(id, { resume: "only", signal });
    return "resumed";
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "intents.plan_differs") return error;
    if (error instanceof HoldfastError && skipped.test(error.code)) return "skipped";
    // The run has the failure of its bridge. A lost lock or an aborted signal leaves it interrupted for the next worker.
    return "resumed";
  }
}
