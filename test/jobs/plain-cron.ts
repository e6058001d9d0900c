/**
 * A second, plain implementation of schedules. It examines every minute and asks the time zone database of Node for its
 * local time. It shares no code with the machine.
 */

/** One minute of a zone. */
export interface LocalMinute {
  readonly time: number;
  /** Minutes of local time since 1970. */
  readonly local: number;
}

const minuteMs = 60_000;

/** The minutes of a zone from one time to another. */
export function localMinutes(zone: string, from: number, to: number): readonly LocalMinute[] {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
  });
  const minutes: LocalMinute[] = [];
  for (let time = from; time < to; time += minuteMs) {
    const shown = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/u.exec(format.format(time))?.slice(1).map(Number) ?? [];
    const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = shown;
    minutes.push({ time, local: Date.UTC(year, month - 1, day, hour, minute) / minuteMs });
  }
  return minutes;
}

/** All runs of an expression in these minutes. */
export function plainRuns(cron: string, minutes: readonly LocalMinute[]): readonly number[] {
  const matches = matcher(cron);
  const isHourly = cron.split(" ")[1]?.startsWith("*") === true;
  const runs: number[] = [];
  const seen = new Set<number>();
  let before: number | undefined;
  for (const { time, local } of minutes) {
    const isRepeated = seen.has(local);
    seen.add(local);
    let isRun = matches(local) && (isHourly || !isRepeated);
    for (let missing = (before ?? local) + 1; missing < local; missing += 1) isRun ||= !isHourly && matches(missing);
    before = local;
    if (isRun) runs.push(time);
  }
  return runs;
}

/** Whether a minute of local time matches, by the values of each field. */
function matcher(cron: string): (local: number) => boolean {
  const fields = cron.split(" ");
  const [minutes, hours, days, months, weekdays] = [
    values(fields[0], 0, 59),
    values(fields[1], 0, 23),
    values(fields[2], 1, 31),
    values(fields[3], 1, 12),
    values(fields[4], 0, 7),
  ];
  const isBoth = fields[2]?.startsWith("*") === true || fields[4]?.startsWith("*") === true;
  return (local) => {
    if (!minutes.has(local % 60)) return false;
    const date = new Date(local * minuteMs);
    if (!hours.has(date.getUTCHours()) || !months.has(date.getUTCMonth() + 1)) return false;
    const weekday = date.getUTCDay();
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(weekday) || weekdays.has(weekday || 7)];
    return isBoth ? isDay && isWeekday : isDay || isWeekday;
  };
}

/** Every value between two numbers that one of the items allows. */
function values(text = "", least: number, most: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const item of text.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [from = least, to = range === "*" ? most : from] = range === "*" ? [] : range.split("-").map(Number);
    for (let value = least; value <= most; value += 1)
      if (value >= from && value <= to && (value - from) % Number(step) === 0) found.add(value);
  }
  return found;
}
