/** A client that writes down what it asks and what it is told. It sends again only what can't happen twice. */
import type { CallReply, Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { broken } from "./call.ts";
import type { Answer, Call, Wish } from "./call.ts";
import { pauseFor } from "./pause.ts";

/** After these nothing happened, and the same may be sent again. */
const nothingHappened = new Set(["unreachable", "stopping", "journal_unavailable", "overloaded", "deadline_passed"]);
/** Nobody knows. */
const unknown = "outcome_unknown";
/** Answers that a history is about; any other is a defect of the test or of the server. */
const answers = new Set(["done", "concurrency_mismatch", "fence_stale", "lock_denied", "lock_not_held"]);

/** A healthy deployment comes back within this. */
const patienceMs = 60_000;

export class RecordedClient {
  readonly number: number;
  readonly #client: Client;
  readonly #calls: Call[];

  constructor(number: number, client: Client, calls: Call[]) {
    this.number = number;
    this.#client = client;
    this.#calls = calls;
  }

  /** The answer, or nothing if nobody knows it. Without a key a lost answer stays lost. */
  async ask(wish: Wish, key?: string): Promise<Answer | undefined> {
    const { operation, input } = commandOf(wish);
    const first = systemClock.monotonicMs();
    const before: string[] = [];
    let begin = first;
    let isInDoubt = false;
    for (;;) {
      const reply = await this.#client.execute(operation, input, key === undefined ? {} : { key });
      const end = systemClock.monotonicMs();
      const code = codeOf(reply);
      if (answers.has(code)) return this.#note({ wish, key, begin, end, before, answer: answerOf(code, reply) });
      const isLost = code === unknown && key === undefined && wish.kind !== "read";
      if (isLost) return this.#note({ wish, key, begin, end: Infinity, before, answer: undefined });
      if (code !== unknown && !nothingHappened.has(code)) broken("only known answers are given", { wish, reply });
      if (end - first > patienceMs) broken("after a fault there is progress", { wish, reply });
      before.push(`${code} ${JSON.stringify(reply.outcome.data)}`);
      await pauseFor(20);
      // What may have happened at an earlier try began with that one, whatever was told since.
      isInDoubt ||= code === unknown && wish.kind !== "read";
      if (!isInDoubt) begin = systemClock.monotonicMs();
    }
  }

  #note({ answer, key, ...call }: Omit<Call, "client" | "answer" | "key"> & LateParts): Answer | undefined {
    const parts = { ...(key !== undefined && { key }), ...(answer !== undefined && { answer }) };
    this.#calls.push({ client: this.number, ...call, ...parts });
    return answer;
  }
}

interface LateParts {
  readonly key: string | undefined;
  readonly answer: Answer | undefined;
}

function commandOf(wish: Wish): { readonly operation: string; readonly input: Readonly<Record<string, unknown>> } {
  const [type = "", id = ""] = wish.subject.split("/");
  switch (wish.kind) {
    case "read":
      return { operation: "get-entity", input: { type, id } };
    case "write": {
      const expected = wish.expected === undefined ? {} : { expected_version: wish.expected };
      const fence = wish.fence === undefined ? {} : { fence: wish.fence };
      return { operation: "patch-entity", input: { type, id, merge: { number: wish.number }, ...expected, ...fence } };
    }
    case "acquire": {
      const { owner: owner_id, ttlMs } = wish;
      const input = { paths: [wish.subject], owner_id, ttl_seconds: ttlMs / 1_000 };
      return { operation: "acquire-lock", input };
    }
    case "release":
      return { operation: "release-lock", input: { fence: wish.fence, owner_id: wish.owner } };
  }
}

function codeOf({ outcome }: CallReply): string {
  return outcome.kind === "done" ? "done" : outcome.code;
}

function answerOf(code: string, { outcome, position }: CallReply): Answer {
  const { version, value, fence } = outcome.data as {
    readonly version?: number;
    readonly value?: { readonly number?: number };
    readonly fence?: string;
  };
  if (code !== "done") return { code, position };
  return {
    code,
    position,
    ...(version !== undefined && { version }),
    ...(value?.number !== undefined && { number: value.number }),
    ...(fence !== undefined && { fence }),
  };
}
