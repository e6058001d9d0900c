import type { JsonObject } from "@holdfast/sdk/json/json";
import { jobLimits } from "./job-tables.ts";

/** The views of the first rows of a page, as many as the bytes of a reply allow. The first row always has its view. */
export function viewsThatFit<Row>(
  rows: readonly Row[],
  viewOf: (row: Row) => JsonObject,
): readonly [JsonObject[], last: Row | undefined] {
  const views: JsonObject[] = [];
  let bytes = 0;
  for (const row of rows) {
    const view = viewOf(row);
    bytes += Buffer.byteLength(JSON.stringify(view));
    if (views.length > 0 && bytes > jobLimits.replyBytesMax) break;
    views.push(view);
  }
  return [views, rows[views.length - 1]];
}
