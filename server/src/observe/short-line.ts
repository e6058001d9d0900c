/** A line of the log for somebody who looks at a terminal: when, how grave, what, and the facts that are left. */
export function shortLine(line: string): string {
  const { time, level, event, message, ...facts } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const clock = typeof time === "string" ? time.slice(11, 19) : "";
  const said = message === event ? String(event) : `${String(event)}: ${oneLine(message)}`;
  const rest = Object.entries(facts).map(([name, value]) => `${name}=${oneLine(value)}`);
  return [clock, String(level).padEnd(5), said, ...rest].join(" ");
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A caller's words must not move the cursor or start a line of their own.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ");
}
