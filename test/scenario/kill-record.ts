/** What callers know across all cycles, and what must then be true of the journal. */
import assert from "node:assert/strict";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Answer, Line, Wish } from "./kill-lines.ts";

export class KillRecord {
  readonly #wishes = new Map<number, Wish>();
  readonly #answers = new Map<number, Answer>();
  /** Answers that came since the last check. */
  #news: number[] = [];
  answerCount = 0;
  replayCount = 0;

  note(line: Line): void {
    if (line.kind === "sent") this.#wishes.set(line.wish.number, line.wish);
    if (line.kind === "answered") this.#noteAnswer(line.number, line.answer);
  }

  get nextNumber(): number {
    return Math.max(0, ...this.#wishes.keys()) + 1;
  }

  /** Keyed wishes that nobody heard the answer of. Those without a key can not be sent again safely. */
  unanswered(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ number, key }) => key !== undefined && !this.#answers.has(number));
  }

  /** Keyed wishes that were answered. */
  answered(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ number, key }) => key !== undefined && this.#answers.has(number));
  }

  answerOf(number: number): Answer | undefined {
    return this.#answers.get(number);
  }

  /** Everything acknowledged since the last check is there, at its position, with its outcome. */
  checkNews(entries: readonly Entry[]): void {
    for (const number of this.#news) this.#checkAnswer(number, entries);
    this.#news = [];
  }

  /** No wish has two effects; each keyed one has exactly one, and nothing is there that nobody wished for. */
  checkEffects(entries: readonly Entry[]): void {
    const seen = new Map<number, Entry>();
    for (const entry of entries) {
      const number = numberOf(entry);
      if (number === undefined) continue;
      assert.equal(seen.get(number), undefined, `wish ${number} is in the journal twice`);
      assert.ok(this.#wishes.has(number), `nobody wished for ${number}`);
      seen.set(number, entry);
    }
    for (const { number } of this.answered()) assert.ok(seen.has(number), `wish ${number} was lost`);
    assert.deepEqual(this.unanswered(), [], "every keyed wish was answered in the end");
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
    assert.deepEqual(answer, { ...first, replayed: true }, `wish ${number} got another answer than the first time`);
  }

  #checkAnswer(number: number, entries: readonly Entry[]): void {
    const { outcome, position } = this.#answers.get(number) ?? assert.fail();
    const entry = entries[position - 1] ?? assert.fail(`wish ${number}: nothing is at its position ${position}`);
    assert.equal(numberOf(entry), number, `position ${position} holds another wish`);
    assert.equal(entry.key, this.#wishes.get(number)?.key);
    assert.equal(entry.outcome.kind, outcome.kind);
    if (entry.outcome.kind === "refusal") assert.equal(entry.outcome.code, outcome.code);
    for (const [name, value] of Object.entries(entry.outcome.data)) assert.deepEqual(outcome.data[name], value);
  }
}

function numberOf(entry: Entry): number | undefined {
  const { merge, value } = entry.input as { merge?: { number?: number }; value?: { number?: number } };
  return merge?.number ?? value?.number;
}
