import { problemOf } from "../contract/problems.ts";
import { backoffMs } from "../base/backoff-ms.ts";
import { pause } from "../base/pause.ts";
import type { ClientClock } from "./client-clock.ts";
import type { CallReply } from "./transport.ts";

/** How often, and for how long, a client sends a call again by itself. The problem's rule says whether it may at all. */
export interface RetryOptions {
  /** The first one included; 5 if not given. */
  readonly tries?: number;
  /** The first delay, doubled with each try, half of it by chance; 100 if not given. */
  readonly baseMs?: number;
  /** The longest delay; 2,000 if not given. Waiting that the server asks for is not cut. */
  readonly capMs?: number;
  /** No try starts later than this after the first; 15,000 if not given. */
  readonly totalMs?: number;
}

/** After these nobody knows whether it happened; after every other one nothing did. */
const leavesDoubt = new Set(["outcome_unknown"]);

/** True if an answer says of its own try alone that nothing came of it. Every other one was given for the key. */
function leavesOpen({ outcome }: CallReply): boolean {
  if (outcome.kind === "done") return false;
  const { retry } = problemOf(outcome.code);
  return retry === "same-key" || retry === "later" || outcome.code === "closed";
}

type Refusal = Extract<CallReply["outcome"], { kind: "refusal" }>;

/** How long to wait before sending it again; undefined: not at all, it is for the caller to decide. */
export function delayBeforeRetry(
  { code, data }: Refusal,
  call: { readonly isRepeatable: boolean; readonly backoffMs: number },
): number | undefined {
  const { retry } = problemOf(code);
  const asked = data["retry_after_ms"];
  const askedMs = typeof asked === "number" ? asked : undefined;
  switch (retry) {
    case "never":
    case "new-key-after-read":
      return undefined;
    case "later":
      // Nobody said when: asking at random times would only be in the way.
      return askedMs === undefined ? undefined : askedMs + call.backoffMs / 10;
    case "same-key":
      if (leavesDoubt.has(code) && !call.isRepeatable) return undefined;
      return Math.max(askedMs ?? 0, call.backoffMs);
  }
}

/** A call that was refused, as far as it matters for sending it again. */
export interface RetriedCall {
  readonly startedMs: number;
  /** It comes to the same if it is done twice, or has a key. */
  readonly isSafe: boolean;
  readonly signal: AbortSignal | undefined;
}

export class Retrier {
  readonly #clock: ClientClock;
  readonly #options: Required<RetryOptions>;
  #isStopped = false;

  constructor(clock: ClientClock, options: RetryOptions | false) {
    this.#clock = clock;
    const usual = { tries: 5, baseMs: 100, capMs: 2_000, totalMs: 15_000 };
    this.#options = options === false ? { ...usual, tries: 1 } : { ...usual, ...options };
  }

  get isOn(): boolean {
    return this.#options.tries > 1 && !this.#isStopped;
  }

  /** A client that is closed tries nothing again. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Goes on after the first refusal, as its rule says. What is aborted in between is sent no more, which `send` says. */
  async goOn(
    first: CallReply,
    { startedMs, isSafe, signal }: RetriedCall,
    send: () => Promise<CallReply>,
  ): Promise<CallReply> {
    const { tries, totalMs } = this.#options;
    let reply = first;
    let unknown: CallReply | undefined;
    for (let tried = 1; tried < tries && reply.outcome.kind === "refusal"; tried += 1) {
      if (leavesDoubt.has(reply.outcome.code)) unknown = reply;
      const delayMs = delayBeforeRetry(reply.outcome, { isRepeatable: isSafe, backoffMs: this.#delayMs(tried) });
      if (delayMs === undefined || this.#clock.monotonicMs() + delayMs - startedMs > totalMs) break;
      await pause(this.#clock, delayMs, { signal });
      if (this.#isStopped) break;
      reply = await send();
    }
    // That the last one was not sent says nothing of the one before it, which may have happened.
    return unknown !== undefined && leavesOpen(reply) ? unknown : reply;
  }

  #delayMs(tried: number): number {
    return backoffMs(this.#options, tried, this.#clock.random());
  }
}
