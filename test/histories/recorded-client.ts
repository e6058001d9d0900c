/** A client that records its calls and their answers. It retries only calls that cannot happen twice. */
import { defined } from "@holdfast/sdk/base/defined";
import type { CallReply, Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { broken, withdrawnCode } from "./history-call.ts";
import type { HistoryAnswer, HistoryCall, HistoryRequest } from "./history-call.ts";
import { pauseFor } from "./pause.ts";

/** Refusals after which the call may be retried, because nothing happened. */
const nothingHappened = new Set(["unreachable", "stopping", "journal_unavailable", "overloaded", "deadline_passed"]);
/** The call may have happened. */
const unknown = "outcome_unknown";
/** The answers that a history may have. Any other is a defect of the test or of the server. */
const answers = new Set(["done", "concurrency_mismatch", "fence_stale", "lock_denied", "lock_not_held", withdrawnCode]);

/** Maximum time until a healthy deployment answers again after a fault. */
const uncertainMaxMs = 60_000;

export class RecordedClient {
  readonly number: number;
  readonly #client: Client;
  readonly #calls: HistoryCall[];

  constructor(number: number, client: Client, calls: HistoryCall[]) {
    this.number = number;
    this.#client = client;
    this.#calls = calls;
  }

  /** The answer; undefined if it was lost and the call had no key to retry it with. */
  async send(request: HistoryRequest, key?: string): Promise<HistoryAnswer | undefined> {
    const { operation, input } = commandOf(request);
    const first = systemClock.monotonicMs();
    const before: string[] = [];
    let begin = first;
    let isInDoubt = false;
    for (;;) {
      const reply = await this.#client.execute(operation, input, defined({ key }));
      const end = systemClock.monotonicMs();
      const code = codeOf(reply);
      if (answers.has(code))
        return this.#note({ request, key, begin, end, earlierCodes: before, answer: answerOf(code, reply) });
      const isRepeatable = key !== undefined || request.kind === "read" || request.kind === "withdraw";
      const isLost = code === unknown && !isRepeatable;
      if (isLost) return this.#note({ request, key, begin, end: Infinity, earlierCodes: before, answer: undefined });
      if (code !== unknown && !nothingHappened.has(code)) broken("only known answers are given", { request, reply });
      if (end - first > uncertainMaxMs) broken("after a fault there is progress", { request, reply });
      before.push(`${code} ${JSON.stringify(reply.outcome.data)}`);
      await pauseFor(20);
      // A call that may have happened at an earlier attempt began with that attempt.
      isInDoubt ||= code === unknown && request.kind !== "read";
      if (!isInDoubt) begin = systemClock.monotonicMs();
    }
  }

  #note({
    answer,
    key,
    ...call
  }: Omit<HistoryCall, "client" | "answer" | "key"> & LateParts): HistoryAnswer | undefined {
    const parts = { ...defined({ key, answer }) };
    this.#calls.push({ client: this.number, ...call, ...parts });
    return answer;
  }
}

interface LateParts {
  readonly key: string | undefined;
  readonly answer: HistoryAnswer | undefined;
}

function commandOf(request: HistoryRequest): {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
} {
  const [type = "", id = ""] = request.subject.split("/");
  switch (request.kind) {
    case "read":
      return { operation: "get-entity", input: { type, id } };
    case "write": {
      const expected = defined({ expected_version: request.expected });
      const fence = defined({ fence: request.fence });
      return {
        operation: "patch-entity",
        input: { type, id, merge: { number: request.number }, ...expected, ...fence },
      };
    }
    case "acquire": {
      const { owner: owner_id, ttlMs } = request;
      const input = { paths: [request.subject], owner_id, ttl_seconds: ttlMs / 1_000 };
      return { operation: "acquire-lock", input };
    }
    case "release":
      return { operation: "release-lock", input: { fence: request.fence, owner_id: request.owner } };
    case "withdraw": {
      const input = { operation: "acquire-lock", key: request.acquire, owner_id: request.owner };
      return { operation: "withdraw-request", input };
    }
  }
}

function codeOf({ outcome }: CallReply): string {
  return outcome.kind === "done" ? "done" : outcome.code;
}

function answerOf(code: string, { outcome, position }: CallReply): HistoryAnswer {
  const { version, value, fence, found, released } = outcome.data as {
    readonly version?: number;
    readonly value?: { readonly number?: number };
    readonly fence?: string;
    readonly found?: string;
    readonly released?: readonly string[];
  };
  if (code !== "done") return { code, position };
  return {
    code,
    position,
    ...defined({ version }),
    ...(value?.number !== undefined && { number: value.number }),
    ...defined({ fence }),
    ...(found !== undefined && { found, hasReleased: released !== undefined && released.length > 0 }),
  };
}
