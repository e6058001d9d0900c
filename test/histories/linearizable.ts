/**
 * A small linearizability checker. It searches for an order of the calls in which a plain model gives every answer that was
 * recorded. Each call takes effect at one moment between its begin and its end. It does not trust the server about order.
 *
 * Calls are placed as late as possible: when a call ends, all calls in flight may have come before it, in any order. The
 * checker keeps all states that are possible at that moment. A window is the time between two moments without calls in
 * flight. Only states are kept from one window to the next. So the work grows with concurrency, not with the length.
 */
import type { HistoryCall } from "./history-call.ts";

export interface SequentialModel<State> {
  readonly start: State;
  /** The states after a call that takes effect at this time with its recorded answer; none if that is impossible. */
  after(state: State, call: HistoryCall, now: number): readonly State[];
}

/** One possible past: a state, and the calls in flight that have taken effect in it. */
interface Possibility<State> {
  readonly state: State;
  readonly placed: ReadonlySet<number>;
}

export interface Verdict {
  /** The first call whose answer no order explains. */
  readonly unexplained: HistoryCall | undefined;
  /** Maximum number of calls in flight, and of possibilities: the cost of the search. */
  readonly openMax: number;
  readonly possibilitiesMax: number;
}

export function checkLinearizable<State>(calls: readonly HistoryCall[], model: SequentialModel<State>): Verdict {
  const open = new Set<number>();
  let possible: readonly Possibility<State>[] = [{ state: model.start, placed: new Set() }];
  let openMax = 0;
  let possibilitiesMax = 1;
  for (const moment of momentsOf(calls)) {
    if (moment.isBegin) {
      open.add(moment.index);
      openMax = Math.max(openMax, open.size);
      continue;
    }
    possible = placeCall(possible, { calls, open, model }, moment);
    possibilitiesMax = Math.max(possibilitiesMax, possible.length);
    if (possible.length === 0) return { unexplained: calls[moment.index], openMax, possibilitiesMax };
    open.delete(moment.index);
  }
  return { unexplained: undefined, openMax, possibilitiesMax };
}

interface Moment {
  readonly index: number;
  readonly time: number;
  readonly isBegin: boolean;
}

/** Begins and ends in the order of time; of two at the same time the begin comes first, which allows more. */
function momentsOf(calls: readonly HistoryCall[]): readonly Moment[] {
  const begins = calls.map(({ begin }, index) => ({ index, time: begin, isBegin: true }));
  const ends = calls
    .map(({ end }, index) => ({ index, time: end, isBegin: false }))
    .filter(({ time }) => time < Infinity);
  return [...begins, ...ends].sort((a, b) => a.time - b.time || Number(b.isBegin) - Number(a.isBegin));
}

interface Around<State> {
  readonly calls: readonly HistoryCall[];
  readonly open: ReadonlySet<number>;
  readonly model: SequentialModel<State>;
}

/** Every way in which the call that ends has taken effect, alone or after others that are still in flight. */
function placeCall<State>(
  possible: readonly Possibility<State>[],
  { calls, open, model }: Around<State>,
  { index, time }: Moment,
): readonly Possibility<State>[] {
  const found = new Map<string, Possibility<State>>();
  const seen = new Set<string>();
  const waiting = [...possible];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { state, placed } = next;
    if (placed.has(index)) {
      const rest = { state, placed: new Set([...placed].filter((candidate) => candidate !== index)) };
      found.set(nameOf(rest), rest);
      continue;
    }
    for (const candidate of open) {
      const call = calls[candidate];
      if (placed.has(candidate) || call === undefined) continue;
      for (const after of model.after(state, call, time)) {
        const further = { state: after, placed: new Set([...placed, candidate]) };
        const name = nameOf(further);
        if (!seen.has(name)) waiting.push(further);
        seen.add(name);
      }
    }
  }
  return [...found.values()];
}

function nameOf<State>({ state, placed }: Possibility<State>): string {
  return `${JSON.stringify(state)} ${[...placed].sort((a, b) => a - b).join(",")}`;
}
