/** The offsets of a time zone by the database of this process. Machines have different releases of it. */

/** From this time on, local time is UTC plus these minutes. */
interface FoundOffset {
  readonly from: number;
  readonly minutes: number;
}

interface FoundZone {
  readonly zone: string;
  /** The release of the time zone database, such as `2026a`. */
  readonly version: string;
  readonly offsets: readonly FoundOffset[];
  readonly until: number;
}

/** Years for which offsets are found. Rules beyond are likely to change. */
const yearsAhead = 10;
/** Interval between two examined times. No zone changes its offset twice within it. */
const stepMs = 5 * 24 * 60 * 60 * 1000;

/** The offsets of a zone from a year before a time to the start of a year after it. Undefined if it does not exist. */
export function zoneOffsets(zone: string, timeMs: number): FoundZone | undefined {
  const offsetAt = offsetReader(zone);
  if (offsetAt === undefined) return undefined;
  const year = new Date(timeMs).getUTCFullYear();
  const until = Date.UTC(year + yearsAhead, 0, 1);
  let from = Date.UTC(year - 1, 0, 1);
  let minutes = offsetAt(from);
  const offsets: FoundOffset[] = [{ from: 0, minutes }];
  while (from < until) {
    const next = Math.min(from + stepMs, until);
    const nextMinutes = offsetAt(next);
    if (nextMinutes !== minutes) offsets.push({ from: changeBetween(from, next, offsetAt), minutes: nextMinutes });
    [from, minutes] = [next, nextMinutes];
  }
  return { zone, version: process.versions["tz"] ?? "", offsets, until };
}

/** The minutes that a zone adds to UTC, by time. */
function offsetReader(zone: string): ((timeMs: number) => number) | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      ...{ timeZone: zone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
    });
    return (timeMs) => {
      const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
      return Math.round((Date.UTC(year, month - 1, day, hour, minute) - timeMs) / 60_000);
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The minute at which the offset changes. */
function changeBetween(low: number, high: number, offsetAt: (timeMs: number) => number): number {
  const before = offsetAt(low);
  let [from, to] = [low / 60_000, high / 60_000];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetAt(middle * 60_000) === before) from = middle;
    else to = middle;
  }
  return to * 60_000;
}
