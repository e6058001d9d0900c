const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** `12 s`, `3 min`, `2 h 5 min`: the largest unit, and the next one if the first is below 10. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  const at = units.findIndex((unit) => size >= unit.ms);
  const unit = units[at];
  if (unit === undefined) return "under 1 s";
  const whole = Math.floor(size / unit.ms);
  const below = units[at + 1];
  const rest = below === undefined ? 0 : Math.floor((size % unit.ms) / below.ms);
  return whole < 10 && below !== undefined && rest > 0
    ? `${whole} ${unit.name} ${rest} ${below.name}`
    : `${whole} ${unit.name}`;
}

/** `14:05`, in the time zone of this host. */
export function clockTime(ms: number): string {
  const time = new Date(ms);
  return `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
}

/** A time in ISO 8601 relative to `nowMs`: `12 s ago`, `in 3 min`, `now`. */
export function relativeTime(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  if (Number.isNaN(ms)) return "?";
  if (Math.abs(ms) < 1_000) return "now";
  return ms < 0 ? `${duration(ms)} ago` : `in ${duration(ms)}`;
}
