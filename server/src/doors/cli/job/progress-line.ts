import { defined } from "@holdfast/sdk/base/defined";

/** A line of progress that the command of a job wrote. */
interface ProgressLine {
  readonly percent?: number;
  readonly message?: string;
  readonly checkpoint?: unknown;
}

/** Parses `40`, `40 level 3 of 7`, `level 3 of 7`, or an object of JSON with these members and a checkpoint. */
export function progressLine(line: string): ProgressLine | undefined {
  const text = line.trim();
  if (text === "") return undefined;
  if (text.startsWith("{")) return fromJson(text);
  const [, digits, rest] = /^(\d{1,3}(?:\.\d+)?)(?:\s*%)?(?:\s+(.*))?$/u.exec(text) ?? [];
  if (digits === undefined) return { message: text };
  return defined({ percent: Number(digits), message: rest });
}

function fromJson(text: string): ProgressLine {
  try {
    const { percent, message, checkpoint } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return defined({
      percent: typeof percent === "number" ? percent : undefined,
      message: typeof message === "string" ? message : undefined,
      checkpoint,
    });
  } catch {
    return { message: text };
  }
}
