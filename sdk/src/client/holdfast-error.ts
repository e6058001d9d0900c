import { refusalDetails } from "../base/refusal-details.ts";
import { problemText } from "./data/operation-data.ts";
import type { Problem } from "../contract/problem.ts";
import type { CallReply } from "./transport/transport.ts";

/** The data of a refusal in addition to its code. A refusal without an entry has no position. */
export interface RefusalDetails extends Partial<Pick<CallReply, "position" | "replayed">> {
  readonly data?: Readonly<Record<string, unknown>>;
  /** The data has the members of the wire. */
  readonly isWire?: boolean;
  /** The next step, if it is not that of the problem. */
  readonly next?: string;
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
    const { next = problem.next } = details;
    // No server refused anything, so the operation does not matter.
    const what = code === "unreachable" ? `${code}: ` : `${operation} refused (${code}): `;
    super(`${what}${problem.title}${detailOf(data)}. ${next}`);
    this.code = code;
    this.retry = problem.retry;
    this.status = problem.status;
    this.data = data;
    this.position = position;
    this.replayed = replayed;
    this.isWire = isWire;
  }
}

function detailOf(data: Readonly<Record<string, unknown>>): string {
  const parts = refusalDetails(data);
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}
