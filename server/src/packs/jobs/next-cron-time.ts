/**
 * The next time of a schedule, as a pure function of its cron expression, the offsets of its time zone and a time. It
 * searches each period of one offset as plain calendar time.
 *
 * When the clock is set forward, a run at a time that does not exist starts at the moment of the change, once. When it
 * is set back, a run at a time that comes twice starts the first time only. A schedule with `*` in its hour field
 * follows elapsed time instead: it runs in both hours, and not in the missing one.
 */
import { dateOfDay, dayMs } from "./date-of-day.ts";
import type { CronTimes } from "./parse-cron.ts";

/** From this time on, local time is UTC plus these minutes. */
export interface ZoneOffset {
  readonly from: number;
  readonly minutes: number;
}

const minuteMs = 60_000;
/** Maximum days without a run: the gap between two 29 February over a year that is not a leap year. */
const daysMax = 8 * 366 + 1;

/** A time of one offset, and the offset before it. The first one has no beginning. */
interface ZonePeriod {
  readonly from: number;
  readonly end: number;
  readonly shift: number;
  readonly shiftBefore: number;
}

function periodsOf(offsets: readonly ZoneOffset[]): readonly ZonePeriod[] {
  const known = offsets.length === 0 ? [{ from: 0, minutes: 0 }] : offsets;
  return known.map(({ from, minutes }, index) => ({
    from: index === 0 ? -Infinity : from,
    end: known[index + 1]?.from ?? Infinity,
    shift: minutes * minuteMs,
    shiftBefore: (known[index - 1]?.minutes ?? minutes) * minuteMs,
  }));
}

/** The first run after a time. Undefined if the expression never matches. */
export function nextCronTime(cron: CronTimes, offsets: readonly ZoneOffset[], after: number): number | undefined {
  for (const { from, end, shift, shiftBefore } of periodsOf(offsets)) {
    if (end <= after + 1) continue;
    const isForward = from > after && shiftBefore < shift;
    if (!cron.isHourly && isForward && nextMatch(cron, from + shiftBefore, from + shift) !== undefined) return from;
    // Local times before this one were already there before the clock was set back.
    const repeatedUntil = cron.isHourly ? -Infinity : from + shiftBefore;
    const match = nextMatch(cron, Math.max(after + 1 + shift, from + shift, repeatedUntil), end + shift);
    if (match !== undefined) return match - shift;
  }
  return undefined;
}

/** The last run at or before a time, if there is one after `start`. */
export function lastCronTime(
  cron: CronTimes,
  offsets: readonly ZoneOffset[],
  { start, end }: { readonly start: number; readonly end: number },
): number | undefined {
  const nextOf = (time: number): number => nextCronTime(cron, offsets, time) ?? Infinity;
  if (nextOf(start) > end) return undefined;
  // The next run never moves back when the time advances, so a binary search finds the last one.
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (nextOf(middle) <= end) low = middle;
    else high = middle;
  }
  return nextOf(low);
}

/** The first matching minute from `start` on and before `end`, in calendar time. */
function nextMatch(cron: CronTimes, start: number, end: number): number | undefined {
  const first = Math.ceil(start / minuteMs) * minuteMs;
  const firstDay = Math.floor(first / dayMs);
  for (let day = firstDay; day < firstDay + daysMax && day * dayMs < end; day += 1) {
    if (!isMatchingDay(cron, day)) continue;
    const match = firstMinute(cron, day === firstDay ? (first - day * dayMs) / minuteMs : 0);
    if (match === undefined) continue;
    const time = day * dayMs + match * minuteMs;
    return time < end ? time : undefined;
  }
  return undefined;
}

function isMatchingDay({ days, months, weekdays, isEitherDay }: CronTimes, day: number): boolean {
  const { month, dayOfMonth, weekday } = dateOfDay(day);
  if (!months.includes(month)) return false;
  const [isDay, isWeekday] = [days.includes(dayOfMonth), weekdays.includes(weekday)];
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

/** The first matching minute of a day, counted from midnight. */
function firstMinute({ hours, minutes }: CronTimes, from: number): number | undefined {
  for (const hour of hours) {
    if (hour * 60 + 59 < from) continue;
    const minute = minutes.find((each) => hour * 60 + each >= from);
    if (minute !== undefined) return hour * 60 + minute;
  }
  return undefined;
}
