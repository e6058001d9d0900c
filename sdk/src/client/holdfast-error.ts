import { shellWord } from "../base/shell-word.ts";
import { refusalDetails } from "../base/refusal-details.ts";
import { problemText } from "./data/operation-data.ts";
import type { Problem } from "../contract/problem.ts";
import type { CallReply } from "./transport/transport.ts";

/** The data of a refusal in addition to its code. A refusal without an entry has no position. */
export interface RefusalDetails extends Partial<Pick<CallReply, "position" | "replayed">> {
  readonly data?: Readonly<Record<string, unknown>>;
  /** The data has the members of the wire. */
  readonly isWire?: boolean;
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
  /** The call was sent by name, so `data` has the members of the wire. */
  readonly isWire: boolean;

  constructor(operation: string, code: string, details: RefusalDetails = {}) {
    const { data = {}, position = 0, replayed = false, isWire = false } = details;
    const problem = problemText(code, data);
    // No server refused anything, so the operation does not matter.
    const what = code === "unreachable" ? `${code}: ` : `${operation} refused (${code}): `;
    super(`${what}${problem.title}${detailOf(data)}. ${nextStep(problem.next, data)}`);
    this.code = code;
    this.retry = problem.retry;
    this.status = problem.status;
    this.data = data;
    this.position = position;
    this.replayed = replayed;
    this.isWire = isWire;
  }
}

/** Elsewhere, `holdfast up` alone would create another data folder. */
function nextStep(next: string, { folder }: Readonly<Record<string, unknown>>): string {
  return typeof folder === "string"
    ? next.replace("`holdfast up`", `\`holdfast up --data ${shellWord(folder)}\``)
    : next;
}

function detailOf(data: Readonly<Record<string, unknown>>): string {
  const parts = refusalDetails(data);
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}
