/** A bridge: one step of a pipeline. It runs in the program of its author. */
import type { CoreClient } from "../core-client.ts";
import type { Intent } from "../packs/intent-operations.ts";
import type { Correction, Reevaluated } from "./reevaluate.ts";

type Payload = Readonly<Record<string, unknown>>;

/** The result of a bridge. Its changes and the begin of the next step are one entry. */
export interface BridgeResult {
  /** The next status of the intent. */
  readonly to?: string;
  /** A merge patch of the payload. */
  readonly changes?: Payload;
  readonly correction?: {
    readonly diff: Payload;
    readonly source: string;
    readonly reason: string;
    readonly metadata?: Payload;
    readonly occasion?: string;
  };
  /** Pauses the run before the next bridge, for example until a person has approved it. */
  readonly pause?: string;
  readonly note?: string;
}

/** The step in which a bridge runs. */
export interface BridgeStep {
  /** The same over tries and takeovers. Send it to other systems, so that they can recognize a repeat. */
  readonly key: string;
  /** The fence of the run. Another system can check it with check-fence. */
  readonly fence: string;
  /** Aborts when the lock is lost, when a stop is requested, at the timeout, or with the signal of the caller. */
  readonly signal: AbortSignal;
  /** The number of this try, from 1. */
  readonly tried: number;
  /** How often the run had another owner before. */
  readonly takeovers: number;
  /** Acts as the owner of the run. Other clients of the program are other owners, and the lock excludes them. */
  readonly client: CoreClient;
  /** Corrects the intent at once, under the fence of the run. A repeat of the step finds the correction applied. */
  reevaluate(correction: Correction): Promise<Reevaluated>;
  /** Reports the progress to callers that wait for the lock, at most once a second. */
  note(text: string): void;
}

export interface Bridge {
  /** Lower case letters, digits, `-` and `_`; unique in its pipeline. */
  readonly name: string;
  readonly type?: string;
  /** The effect of a failure in mode selective. */
  readonly onError?: "fail" | "continue";
  /** Maximum tries; 1 by default. */
  readonly tries?: number;
  /** Maximum duration of a try; 600,000 by default. */
  readonly timeoutMs?: number;
  execute(intent: Intent, step: BridgeStep): BridgeResult | undefined | Promise<BridgeResult | undefined>;
}

type Execute<Result> = (intent: Intent, step: BridgeStep) => Result | Promise<Result>;

/** Accepts an intent: received becomes normalized. */
export function inputBridge(execute?: Execute<Payload | undefined>): Bridge {
  return statusBridge("input", "normalized", execute);
}

/** Makes the payload ready: normalized becomes processed, with the changes that the function returns. */
export function normalizeBridge(execute?: Execute<Payload | undefined>): Bridge {
  return statusBridge("normalize", "processed", execute);
}

/** Judges an intent. The function returns a correction, and the intent becomes corrected, or nothing. */
export function feedbackBridge(execute: Execute<BridgeResult["correction"]>): Bridge {
  return {
    name: "feedback",
    type: "feedback",
    async execute(intent, step) {
      const correction = await execute(intent, step);
      return correction === undefined ? undefined : { correction };
    },
  };
}

/** Completes an intent after the function has sent its result. */
export function outputBridge(execute?: Execute<Payload | undefined>): Bridge {
  return statusBridge("output", "completed", execute);
}

function statusBridge(name: string, to: string, run: Execute<Payload | undefined> = () => undefined): Bridge {
  return {
    name,
    type: name,
    async execute(intent, step) {
      const changes = await run(intent, step);
      return changes === undefined ? { to } : { to, changes };
    },
  };
}
