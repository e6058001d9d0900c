/** Dates of the Gregorian calendar by plain arithmetic, the same on every machine. */

export const dayMs = 86_400_000;

/** A date: its month from 1, its day from 1, and its weekday from Sunday, which is 0. */
interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
  readonly weekday: number;
}

/** Days from 1970-01-01 to the first day of a month. The year of this count begins in March, so a leap day is its last. */
export function daysBefore(year: number, month: number): number {
  const shifted = month > 2 ? year : year - 1;
  const inYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5);
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + inYear - 719_468;
}

/** The date of a day, counted from 1970-01-01. */
export function dateOfDay(day: number): CivilDate {
  // The estimate is at most one year too late.
  const estimate = 1970 + Math.floor(day / 365.2425) + 1;
  let year = estimate;
  while (daysBefore(year, 1) > day) year -= 1;
  const inYear = day - daysBefore(year, 1);
  let month = Math.min(12, Math.floor(inYear / 28) + 1);
  while (daysBefore(year, month) > day) month -= 1;
  const weekday = (((day + 4) % 7) + 7) % 7;
  return { year, month, dayOfMonth: day - daysBefore(year, month) + 1, weekday };
}
