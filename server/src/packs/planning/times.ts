/** Times as texts. All have the same form, so the order of the texts is the order of time. */

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The form in which times are compared: with milliseconds. */
export function comparable(time: string): string {
  return time.length === "2027-03-01T08:00:00Z".length ? `${time.slice(0, -1)}.000Z` : time;
}

/** Whether a text in the form of a time is a valid one. The 30th of February and the 25th hour are not. */
function isRealTime(time: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = time.split(/[^0-9]/u).map(Number);
  const isInDay = hour <= 23 && minute <= 59 && second <= 59;
  return isInDay && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : (daysOf[month - 1] ?? 0);
}

export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** Describes what is wrong with a range; undefined if it is valid. */
export function rangeFault({ from, to }: TimeRange): string | undefined {
  if (!isRealTime(from)) return `from: ${from} is not a valid date`;
  if (!isRealTime(to)) return `to: ${to} is not a valid date`;
  return comparable(from) < comparable(to) ? undefined : `from ${from} is not before to ${to}`;
}

/** A range excludes its `to`, so a range that starts at the end of another does not overlap it. */
export function overlaps(left: TimeRange, right: TimeRange): boolean {
  return comparable(left.from) < comparable(right.to) && comparable(right.from) < comparable(left.to);
}

export function contains(outer: TimeRange, inner: TimeRange): boolean {
  return comparable(outer.from) <= comparable(inner.from) && comparable(inner.to) <= comparable(outer.to);
}
