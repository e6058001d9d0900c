/** Runs the steps of a run under its lock: each result and the start of the next step are one entry. */
import { backoffMs } from "../../base/backoff-ms.ts";
import { pause } from "../../base/pause.ts";
import type { CoreClient } from "../core-client.ts";
import type { ClientClock } from "../client-clock.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Lock } from "../locks/handle/lock.ts";
import type { ChangedIntent, Intent } from "../packs/intent-operations.ts";
import { attemptStep } from "./attempt-step.ts";
import type { Bridge, BridgeResult } from "./bridge.ts";
import { BridgeExecutionError, ConcurrencyConflictError, FatalBridgeError, intentError } from "./intent-errors.ts";
import { stepTools } from "./step-tools.ts";
import type { StepTools } from "./step-tools.ts";
import { stepKey } from "./step-key.ts";

interface RunContext {
  readonly clock: ClientClock;
  readonly owner: CoreClient;
  readonly lock: Lock;
  readonly bridges: readonly Bridge[];
  /** Aborts when a stop of the run is requested. */
  readonly stop: AbortSignal;
  readonly signal: AbortSignal | undefined;
}

/** Delays between the tries of a step. */
const backoff = { baseMs: 100, capMs: 2_000 };
const jitterMs = 50;
/** Maximum executions of a step whose intent another writer changed meanwhile. */
const conflictsMax = 3;

/** Runs until the run ends or pauses. Returns the intent with its run. */
export async function runSteps(context: RunContext, begun: Intent): Promise<Intent> {
  let intent = begun;
  // All at once: the digest is asynchronous, and only the first step waits for its own.
  const steps = { ...context, keys: keysOfSteps(context.bridges, begun) };
  let failure: { readonly bridge: string; readonly cause: unknown } | undefined;
  for (;;) {
    const { run } = intent;
    const bridge = context.bridges.find(({ name }) => name === run?.current);
    if (run?.state !== "running" || bridge === undefined) break;
    const ended = await runStep(steps, bridge, intent);
    intent = ended.intent;
    if ("cause" in ended) failure = { bridge: bridge.name, cause: ended.cause };
  }
  const state = intent.run?.state;
  const isFailed =
    state === "failed" || (state === "paused" && intent.run?.steps[failure?.bridge ?? ""]?.state === "failed");
  if (isFailed && failure !== undefined) throw new BridgeExecutionError(failure.bridge, intent, failure.cause);
  return intent;
}

interface EndedStep {
  readonly intent: Intent;
  /** The error of the bridge if the step failed. */
  readonly cause?: unknown;
}

/** The key of each step for other systems, by the name of its bridge. They stay the same over tries and takeovers. */
function keysOfSteps(bridges: readonly Bridge[], { id, run }: Intent): StepKeys {
  const keyOf = (name: string): Promise<string> => {
    const key = stepKey([id, run?.number ?? 0, run?.startedAt ?? "", name]);
    // A step awaits its key. A run that ends earlier awaits no later one.
    key.catch(() => undefined);
    return key;
  };
  return new Map(bridges.map(({ name }) => [name, keyOf(name)]));
}

type StepKeys = ReadonlyMap<string, Promise<string>>;

interface StepContext extends RunContext {
  readonly keys: StepKeys;
}

/** Tries a step until it is done, has failed, or the run stops. */
async function runStep(context: StepContext, bridge: Bridge, begun: Intent): Promise<EndedStep> {
  const { lock } = context;
  let intent = begun;
  let conflicts = 0;
  for (let failures = 0; ;) {
    const step = stepTools(context, intent);
    let isSent = false;
    try {
      await lock.certain();
      const result = await attempt(context, bridge, intent, step);
      isSent = true;
      return {
        intent: await advance(context, bridge, intent, { ...result, outcome: "done", expectedVersion: step.version() }),
      };
    } catch (error) {
      if (isSent && error instanceof ConcurrencyConflictError && conflicts + 1 < conflictsMax) {
        conflicts += 1;
        intent = await context.owner.operations.intents.get({ id: intent.id });
        continue;
      }
      if (isSent && !isBadResult(error)) throw error;
      rethrowEnd(context, error);
      failures += 1;
      const failed = await failTry(context, { bridge, intent, error, failures });
      if ("cause" in failed || failed.intent.run?.state !== "running") return failed;
      intent = failed.intent;
    }
  }
}

/** Refusals of a result that no other owner could write either. They are failures of the bridge. */
const badResult =
  /^(intents\.(transition_invalid|status_unknown|too_many_corrections)|value_too_large|input_(invalid|malformed))$/u;

function isBadResult(error: unknown): boolean {
  return error instanceof HoldfastError && badResult.test(error.code);
}

/** A lost lock ends the execution: nothing more is sent. The signal of the caller leaves the run to the next owner. */
function rethrowEnd({ lock, signal, stop }: RunContext, error: unknown): void {
  if (lock.signal.aborted) throw lock.lost ?? error;
  if (signal?.aborted === true && !stop.aborted) throw signal.reason;
}

interface FailedTry {
  readonly bridge: Bridge;
  readonly intent: Intent;
  readonly error: unknown;
  readonly failures: number;
}

/** Records a failed try, and pauses before the next one. A result with a cause is the end of the step. */
async function failTry(context: RunContext, { bridge, intent, error, failures }: FailedTry): Promise<EndedStep> {
  const { clock, lock, stop } = context;
  const isFatal = error instanceof FatalBridgeError;
  const canRetry = !isFatal && (stop.aborted || failures < (bridge.tries ?? 1));
  const outcome = canRetry ? "retry" : "failed";
  const recorded = await advance(context, bridge, intent, { outcome, fatal: isFatal, error: errorData(error) });
  if (!canRetry) return { intent: recorded, cause: error };
  if (recorded.run?.state !== "running") return { intent: recorded };
  const delayMs = backoffMs(backoff, failures) + (2 * clock.random() - 1) * jitterMs;
  await pause(clock, Math.max(0, delayMs), { signal: lock.signal });
  return { intent: recorded };
}

async function attempt(
  context: StepContext,
  bridge: Bridge,
  intent: Intent,
  { reevaluate, note }: StepTools,
): Promise<BridgeResult> {
  const { clock, owner, lock, stop, signal, keys } = context;
  const { run } = intent;
  const key = (await keys.get(bridge.name)) ?? "";
  const signals = [lock.signal, stop, ...(signal === undefined ? [] : [signal])];
  const tried = run?.steps[bridge.name]?.tries ?? 1;
  const own = { client: owner, reevaluate, note };
  const step = { key, fence: lock.fence, tried, takeovers: run?.takeovers ?? 0, ...own, signals };
  return attemptStep(clock, bridge, intent, step);
}

interface StepResult extends BridgeResult {
  readonly outcome: "done" | "retry" | "failed";
  readonly expectedVersion?: number;
  readonly fatal?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The key names this try, so a lost reply can be repeated. A takeover has another fence and never meets it. */
async function advance(
  context: RunContext,
  bridge: Bridge,
  intent: Intent,
  result: StepResult,
): Promise<ChangedIntent> {
  const { owner, lock, bridges } = context;
  const { run } = intent;
  const tried = run?.steps[bridge.name]?.tries ?? 1;
  await lock.certain();
  // A refused result and the failure that follows are two requests.
  const key = `advance ${lock.fence} ${bridges.indexOf(bridge)} ${tried} ${intent.version} ${result.outcome}`;
  const input = { ...result, id: intent.id, fence: lock.fence, run: run?.number ?? 0, step: bridge.name };
  try {
    return await owner.operations.intents.advance(input, { key });
  } catch (error) {
    throw intentError(error);
  }
}

/** Maximum characters of an error message in the journal, which keeps it. */
const messageMax = 2_000;

function errorData(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = (typeof error === "object" && error !== null ? error : { message: String(error) }) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const text = typeof message === "string" ? message : String(error);
  return {
    code: storedText(typeof code === "string" ? code : "bridge_failed", 128),
    message: storedText(text, messageMax),
  };
}

/** The text without the characters that no entry can hold. A cut can divide a pair of surrogates. */
function storedText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).toWellFormed().replaceAll("\0", "\uFFFD");
}
