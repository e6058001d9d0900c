/** Cron expressions: five fields with lists, ranges, steps and names, as the classic cron reads them. */

/** The times of a schedule, as allowed values of each field. */
export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** The day matches if one of the two fields matches. Otherwise both must match. */
  readonly isEitherDay: boolean;
  /** True if every hour is meant. Such a schedule follows elapsed time when the clock is set. */
  readonly isHourly: boolean;
}

interface CronField {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The names of the values, from the least one. */
  readonly names?: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields = {
  minute: { name: "minute", least: 0, most: 59 },
  hour: { name: "hour", least: 0, most: 23 },
  day: { name: "day of the month", least: 1, most: 31 },
  month: { name: "month", least: 1, most: 12, names: monthNames },
  // 7 is Sunday too.
  weekday: { name: "day of the week", least: 0, most: 7, names: weekdayNames },
} as const satisfies Record<string, CronField>;

const aliases: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** The times of an expression, or the reason why it has none. */
export function parseCron(text: string): CronTimes | { readonly reason: string } {
  const trimmed = text.trim().toLowerCase();
  if (trimmed.startsWith("@") && !(trimmed in aliases)) return { reason: `${text} is not a known name` };
  const parts = (aliases[trimmed] ?? trimmed).split(/\s+/u);
  if (parts.length !== 5) return { reason: `an expression has five fields, and this one has ${parts.length}` };
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = parts;
  try {
    return {
      minutes: valuesOf(minute, fields.minute),
      hours: valuesOf(hour, fields.hour),
      days: valuesOf(day, fields.day),
      months: valuesOf(month, fields.month),
      weekdays: distinct(valuesOf(weekday, fields.weekday).map((value) => value % 7)),
      isEitherDay: !day.startsWith("*") && !weekday.startsWith("*"),
      isHourly: hour.startsWith("*"),
    };
  } catch (error) {
    if (error instanceof CronFault) return { reason: error.message };
    throw error;
  }
}

class CronFault extends Error {}

function valuesOf(text: string, field: CronField): readonly number[] {
  return distinct(text.split(",").flatMap((item) => valuesOfItem(item, field)));
}

function distinct(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function valuesOfItem(item: string, field: CronField): readonly number[] {
  const fault = (): CronFault => new CronFault(`the ${field.name} "${item}" is not valid`);
  const [range = "", stepText, more] = item.split("/");
  if (more !== undefined) throw fault();
  const step = stepText === undefined ? 1 : numberOf(stepText);
  if (step === undefined || step < 1) throw fault();
  const [from, to] = rangeOf(range, field) ?? [];
  if (from === undefined || to === undefined || from > to) throw fault();
  // A step from one value has no end, and readers disagree about its meaning.
  if (stepText !== undefined && range !== "*" && !range.includes("-")) throw fault();
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function rangeOf(text: string, field: CronField): readonly (number | undefined)[] | undefined {
  if (text === "*") return [field.least, field.names === weekdayNames ? 6 : field.most];
  const [first = "", last, more] = text.split("-");
  if (more !== undefined) return undefined;
  const from = valueOf(first, field);
  return [from, last === undefined ? from : valueOf(last, field)];
}

function valueOf(text: string, { least, most, names = [] }: CronField): number | undefined {
  const named = names.indexOf(text);
  const value = named === -1 ? numberOf(text) : named + least;
  return value === undefined || value < least || value > most ? undefined : value;
}

function numberOf(text: string): number | undefined {
  return /^\d{1,3}$/u.test(text) ? Number(text) : undefined;
}
