import { problemOf } from "../contract/problems.ts";
import type { Problem } from "../contract/problem.ts";
import type { CallReply } from "./transport.ts";

/** What is known of a refusal besides its code. Without an entry behind it there is no position. */
interface RefusalDetails extends Partial<Pick<CallReply, "position" | "replayed">> {
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A refusal, as an exception. Compare `code`; `retry` says what may be done about it. */
export class HoldfastError extends Error {
  override readonly name: string = "HoldfastError";
  readonly code: string;
  readonly retry: Problem["retry"];
  readonly status: number;
  /** What was refused and why, as data: the current version, the changes since yours, the places that are wrong. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly position: number;
  readonly replayed: boolean;

  constructor(operation: string, code: string, { data = {}, position = 0, replayed = false }: RefusalDetails = {}) {
    const problem = problemOf(code);
    super(`${operation} refused (${code}): ${problem.title}${detailOf(data)}. ${problem.next}`);
    this.code = code;
    this.retry = problem.retry;
    this.status = problem.status;
    this.data = data;
    this.position = position;
    this.replayed = replayed;
  }
}

/** The few facts that belong into a sentence; the rest is in `data`. */
function detailOf(data: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  if (typeof data["type"] === "string" && typeof data["id"] === "string") parts.push(`${data["type"]}/${data["id"]}`);
  if (typeof data["expected_version"] === "number" && typeof data["current_version"] === "number") {
    parts.push(`you expected version ${String(data["expected_version"])}, it has ${String(data["current_version"])}`);
  }
  if (typeof data["reason"] === "string") parts.push(data["reason"]);
  if (typeof data["pointer"] === "string") parts.push(`at "${data["pointer"]}"`);
  const issues = data["issues"];
  if (Array.isArray(issues)) parts.push(...issues.map(issueText));
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

function issueText(issue: unknown): string {
  const { pointer, message } = issue as { pointer: string; message: string };
  return pointer === "" ? message : `${pointer} ${message}`;
}
