import type { StateWriter } from "../../machine/state.ts";
import { countWork } from "./count-work.ts";
import { offerKey, offerTable, workerTable } from "./job-tables.ts";
import type { WorkerRow } from "./job-tables.ts";

/** Puts a worker and its offers. A worker without offers and jobs has no row. */
export function putWorker(state: StateWriter, row: WorkerRow): void {
  const rows = state.rows(workerTable);
  const before = rows.get(row.worker)?.works;
  if (row.works.length === 0 && row.running === 0) rows.delete(row.worker);
  else rows.put(row);
  if (before !== undefined && before !== row.works)
    for (const work of before) if (!row.works.includes(work)) putOffer(state, row, work, undefined);
  for (const work of row.works) putOffer(state, row, work, row.running < row.slots);
}

/** `isFree` is undefined if the worker does not offer the work. */
function putOffer(state: StateWriter, { worker, last }: WorkerRow, work: string, isFree: boolean | undefined): void {
  const rows = state.rows(offerTable);
  const key = offerKey(worker, work);
  const old = rows.get(key);
  if (isFree === undefined) rows.delete(key);
  else if (old?.isFree !== isFree || old.last !== last) rows.put({ key, worker, work, last, isFree });
  countWork(state, work, "freeOffers", (isFree === true ? 1 : 0) - (old?.isFree === true ? 1 : 0));
}
