/** The knowledge of the callers across all cycles, and the resulting assertions about the journal. */
import assert from "node:assert/strict";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Answer, Line, WriteRequest } from "./kill-lines.ts";

export class KillRecord {
  readonly #requests = new Map<number, WriteRequest>();
  readonly #answers = new Map<number, Answer>();
  /** Answers since the last check. */
  #news: number[] = [];
  answerCount = 0;
  replayCount = 0;

  note(line: Line): void {
    if (line.kind === "sent") this.#requests.set(line.request.number, line.request);
    if (line.kind === "answered") this.#noteAnswer(line.number, line.answer);
  }

  get nextNumber(): number {
    return Math.max(0, ...this.#requests.keys()) + 1;
  }

  /** Requests with a key whose answer was lost. A request without a key cannot be repeated safely. */
  unanswered(): readonly WriteRequest[] {
    return [...this.#requests.values()].filter(({ number, key }) => key !== undefined && !this.#answers.has(number));
  }

  /** Requests with a key that were answered. */
  answered(): readonly WriteRequest[] {
    return [...this.#requests.values()].filter(({ number, key }) => key !== undefined && this.#answers.has(number));
  }

  answerOf(number: number): Answer | undefined {
    return this.#answers.get(number);
  }

  /** Each acknowledgement since the last check is in the journal, at its position, with its outcome. */
  checkNews(entries: readonly Entry[]): void {
    for (const number of this.#news) this.#checkAnswer(number, entries);
    this.#news = [];
  }

  /** No request has two effects, each request with a key has exactly one, and every entry belongs to a request. */
  checkEffects(entries: readonly Entry[]): void {
    const seen = new Map<number, Entry>();
    for (const entry of entries) {
      const number = numberOf(entry);
      if (number === undefined) continue;
      assert.equal(seen.get(number), undefined, `request ${number} is in the journal twice`);
      assert.ok(this.#requests.has(number), `no caller sent request ${number}`);
      seen.set(number, entry);
    }
    for (const { number } of this.answered()) assert.ok(seen.has(number), `request ${number} was lost`);
    assert.deepEqual(this.unanswered(), [], "every request with a key was answered in the end");
  }

  #noteAnswer(number: number, answer: Answer): void {
    const first = this.#answers.get(number);
    this.answerCount += 1;
    if (first === undefined) {
      this.#answers.set(number, answer);
      this.#news.push(number);
      return;
    }
    this.replayCount += 1;
    assert.deepEqual(
      answer,
      { ...first, replayed: true },
      `request ${number} got a different answer than the first time`,
    );
  }

  #checkAnswer(number: number, entries: readonly Entry[]): void {
    const { outcome, position } = this.#answers.get(number) ?? assert.fail();
    const entry =
      entries[position - 1] ?? assert.fail(`request ${number}: the journal has no entry at position ${position}`);
    assert.equal(numberOf(entry), number, `position ${position} belongs to another request`);
    assert.equal(entry.key, this.#requests.get(number)?.key);
    assert.equal(entry.outcome.kind, outcome.kind);
    if (entry.outcome.kind === "refusal") assert.equal(entry.outcome.code, outcome.code);
    for (const [name, value] of Object.entries(entry.outcome.data)) assert.deepEqual(outcome.data[name], value);
  }
}

function numberOf(entry: Entry): number | undefined {
  const { merge, value } = entry.input as { merge?: { number?: number }; value?: { number?: number } };
  return merge?.number ?? value?.number;
}
