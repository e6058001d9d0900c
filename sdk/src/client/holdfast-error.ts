import { problemText } from "./data/known-contract.ts";
import type { Problem } from "../contract/problem.ts";
import type { CallReply } from "./transport.ts";

/** The data of a refusal in addition to its code. A refusal without an entry has no position. */
interface RefusalDetails extends Partial<Pick<CallReply, "position" | "replayed">> {
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A refusal as an exception. Compare `code`. `retry` says what the program may do. */
export class HoldfastError extends Error {
  override readonly name: string = "HoldfastError";
  readonly code: string;
  readonly retry: Problem["retry"];
  readonly status: number;
  /**
   * The data of the refusal, such as the current version, the changes since the caller's version, or the invalid
   * pointers.
   */
  readonly data: Readonly<Record<string, unknown>>;
  readonly position: number;
  readonly replayed: boolean;

  constructor(operation: string, code: string, { data = {}, position = 0, replayed = false }: RefusalDetails = {}) {
    const problem = problemText(code);
    // No server refused anything, so the operation does not matter.
    const what = code === "unreachable" ? `${code}: ` : `${operation} refused (${code}): `;
    super(`${what}${problem.title}${detailOf(data)}. ${problem.next}`);
    this.code = code;
    this.retry = problem.retry;
    this.status = problem.status;
    this.data = data;
    this.position = position;
    this.replayed = replayed;
  }
}

/** The few values that belong in the sentence. The rest is in `data`. */
function detailOf(data: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  if (typeof data["type"] === "string" && typeof data["id"] === "string") parts.push(`${data["type"]}/${data["id"]}`);
  if (typeof data["expected_version"] === "number" && typeof data["current_version"] === "number") {
    parts.push(
      `expected version ${String(data["expected_version"])}, current version ${String(data["current_version"])}`,
    );
  }
  if (typeof data["reason"] === "string") parts.push(data["reason"]);
  if (typeof data["cycle_text"] === "string") parts.push(data["cycle_text"]);
  if (typeof data["pointer"] === "string") parts.push(`at "${data["pointer"]}"`);
  const issues = data["issues"];
  if (Array.isArray(issues)) parts.push(...issues.map(issueText));
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

function issueText(issue: unknown): string {
  const { pointer, message } = issue as { pointer: string; message: string };
  return pointer === "" ? message : `${pointer} ${message}`;
}
