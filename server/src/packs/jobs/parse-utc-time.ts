import { daysBefore } from "./date-of-day.ts";

const shape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/u;

/** Milliseconds since 1970 of an ISO 8601 time in UTC, by plain arithmetic. Days beyond the month count into the next. */
export function parseUtcTime(text: string): number {
  const parts = shape.exec(text);
  if (parts === null) throw new Error(`${text} is not a time in UTC, and the contract should have refused it`);
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1, 7).map(Number);
  const fraction = Number((parts[7] ?? "0").padEnd(3, "0"));
  return ((daysBefore(year, month) + day - 1) * 86_400 + hours * 3_600 + minutes * 60 + seconds) * 1_000 + fraction;
}
