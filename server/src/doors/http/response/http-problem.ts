import { refusalDetails } from "@holdfast/sdk/base/refusal-details";
import { problemFor, problemOf } from "@holdfast/sdk/contract";

/** Thrown when a request cannot continue. The door answers with the document. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: number;

  constructor(code: string, data: Readonly<Record<string, unknown>> = {}, status = problemOf(code).status) {
    super(code);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** A problem document (RFC 9457), the form of every error of this door. */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly next: string;
  readonly retry: string;
  readonly [field: string]: unknown;
}

export function problemType(code: string): string {
  return `urn:holdfast:problem:${code}`;
}

const ownMembers = new Set(["title", "status", "code", "detail", "next", "retry"]);

/** The data of the refusal, next to the members of every document. It never replaces them. */
export function problemDocument({
  code,
  data,
  status,
}: Pick<HttpProblem, "code" | "data" | "status">): ProblemDocument {
  const { title, next, retry } = problemFor(code, data);
  const fields = Object.fromEntries(Object.entries(data).map(([name, value]) => [fieldName(name), value]));
  // The members that every reader needs come first.
  return { code, title, detail: detailOf(title, data), next, status, retry, type: problemType(code), ...fields };
}

/** `type` is the one name in both: in the document it names the problem, in the data the type of an entity. */
function fieldName(name: string): string {
  if (name === "type") return "entity_type";
  return ownMembers.has(name) ? `data_${name}` : name;
}

function detailOf(title: string, data: Readonly<Record<string, unknown>>): string {
  const parts = refusalDetails(data);
  return parts.length === 0 ? `${title}.` : `${title}: ${parts.join("; ").replace(/[?.]$/u, "")}.`;
}

/** The retry time in whole seconds, if the problem has one. */
export function retryAfterSeconds(data: Readonly<Record<string, unknown>>): number | undefined {
  const ms = data["retry_after_ms"];
  return typeof ms === "number" ? Math.max(1, Math.ceil(ms / 1000)) : undefined;
}
