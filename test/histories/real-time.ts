import { broken } from "./history-call.ts";
import type { HistoryCall } from "./history-call.ts";

/** A call that ended before another one began is not later in the journal. */
export function checkRealTime(calls: readonly HistoryCall[]): void {
  const answered = calls.filter(({ answer }) => answer !== undefined);
  const ended = answered.toSorted((a, b) => a.end - b.end);
  let next = 0;
  let latest: HistoryCall | undefined;
  for (const call of answered.toSorted((a, b) => a.begin - b.begin)) {
    for (let previous = ended[next]; previous !== undefined && previous.end < call.begin; previous = ended[next]) {
      if (positionOf(previous) > positionOf(latest)) latest = previous;
      next += 1;
    }
    if (positionOf(call) < positionOf(latest)) {
      broken("a call that began after another one had ended comes after it", { call, earlier: latest });
    }
  }
}

const positionOf = (call: HistoryCall | undefined): number => call?.answer?.position ?? 0;
