/** Formats a JSON log line for people at a terminal: time, severity, event, message and the other fields. */
export function formatLogLine(line: string): string {
  const { time, level, event, message, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const clock = typeof time === "string" ? time.slice(11, 19) : "";
  const text = message === event ? String(event) : `${String(event)}: ${oneLine(message)}`;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${oneLine(value)}`);
  return [clock, String(level).padEnd(5), text, ...rest].join(" ");
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Text from a caller must not move the cursor or start a new line.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ");
}
