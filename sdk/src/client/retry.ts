import { backoffMs } from "../base/backoff-ms.ts";
import { pause } from "../base/pause.ts";
import type { ClientClock } from "./client-clock.ts";
import { problemText } from "./data/operation-data.ts";
import type { CallReply } from "./transport/transport.ts";

/** Limits of a client's own retries. The rule of the problem says whether a call may be retried at all. */
export interface RetryOptions {
  /** Maximum attempts, the first one included; 5 by default. */
  readonly tries?: number;
  /** The first delay, doubled with each attempt and jittered by half; 100 by default. */
  readonly baseMs?: number;
  /** Maximum delay; 2,000 by default. A delay that the server requests is not shortened. */
  readonly capMs?: number;
  /** Maximum time between the first attempt and the start of the last; 15,000 by default. */
  readonly totalMs?: number;
}

/** After these codes the outcome is unknown. After every other one nothing happened. */
const unknownOutcomes = new Set(["outcome_unknown"]);

/** True if a reply says only that its own attempt had no effect. Every other reply is the outcome of the key. */
function hadNoEffect({ outcome }: CallReply): boolean {
  if (outcome.kind === "done") return false;
  const { retry } = problemText(outcome.code);
  return retry === "same-key" || retry === "later" || outcome.code === "closed";
}

type Refusal = Extract<CallReply["outcome"], { kind: "refusal" }>;

/** The delay before the next attempt; undefined if the client must not retry and the caller decides. */
function delayBeforeRetry(
  { code, data }: Refusal,
  call: { readonly isRepeatable: boolean; readonly backoffMs: number },
): number | undefined {
  const { retry } = problemText(code);
  const retryAfter = data["retry_after_ms"];
  const requestedMs = typeof retryAfter === "number" ? retryAfter : undefined;
  switch (retry) {
    case "never":
    case "new-key-after-read":
      return undefined;
    case "later":
      // The server gave no retry time. Retrying at random times would only add load.
      return requestedMs === undefined ? undefined : requestedMs + call.backoffMs / 10;
    case "same-key":
      if (unknownOutcomes.has(code) && !call.isRepeatable) return undefined;
      return Math.max(requestedMs ?? 0, call.backoffMs);
  }
}

/** The members of a refused call that matter for a retry. */
interface RetriedCall {
  readonly startedMs: number;
  /** The call has a key, or has the same result when it runs twice. */
  readonly isSafe: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The part of a clock that retries need. */
type RetryClock = Pick<ClientClock, "after" | "monotonicMs" | "random">;

export class Retrier {
  readonly #clock: RetryClock;
  readonly #options: Required<RetryOptions>;
  #isStopped = false;

  constructor(clock: RetryClock, options: RetryOptions | false) {
    this.#clock = clock;
    const defaults = { tries: 5, baseMs: 100, capMs: 2_000, totalMs: 15_000 };
    this.#options = options === false ? { ...defaults, tries: 1 } : { ...defaults, ...options };
  }

  get isOn(): boolean {
    return this.#options.tries > 1 && !this.#isStopped;
  }

  /** A closed client does not retry. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Retries after the first refusal, as its rule allows. `send` does not send an aborted call. */
  async retry(
    first: CallReply,
    { startedMs, isSafe, signal }: RetriedCall,
    send: () => Promise<CallReply>,
  ): Promise<CallReply> {
    const { tries, totalMs } = this.#options;
    let reply = first;
    let unknown: CallReply | undefined;
    for (let tried = 1; tried < tries && reply.outcome.kind === "refusal"; tried += 1) {
      if (unknownOutcomes.has(reply.outcome.code)) unknown = reply;
      const delayMs = delayBeforeRetry(reply.outcome, { isRepeatable: isSafe, backoffMs: this.#delayMs(tried) });
      if (delayMs === undefined || this.#clock.monotonicMs() + delayMs - startedMs > totalMs) break;
      await pause(this.#clock, delayMs, { signal });
      if (this.#isStopped) break;
      reply = await send();
    }
    // That the last attempt was not sent says nothing about the one before, which may have run.
    return unknown !== undefined && hadNoEffect(reply) ? unknown : reply;
  }

  #delayMs(tried: number): number {
    return backoffMs(this.#options, tried, this.#clock.random());
  }
}
