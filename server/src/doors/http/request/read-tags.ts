/** If-Match and If-None-Match. The tag of an entity is its quoted revision. */
import { HttpProblem } from "../response/http-problem.ts";

/** The version that a caller has read. */
export type Expected =
  | { readonly kind: "nothing" }
  | { readonly kind: "revision"; readonly revision: string }
  /** A well-formed tag that no version ever had. */
  | { readonly kind: "unknown"; readonly tag: string };

const strongTag = /^"([\x21\x23-\x7e\x80-\xff]*)"$/u;
const weakTag = /^W\/"[\x21\x23-\x7e\x80-\xff]*"$/u;
const revision = /^[1-9][0-9]{0,14}\.[1-9][0-9]{0,14}$/u;

/** The values of the header as sent, one per occurrence. */
export function readIfMatch(values: readonly string[] | undefined): Expected {
  const [value, ...more] = values ?? [];
  if (value === undefined) return { kind: "nothing" };
  if (more.length > 0) throw invalid("If-Match is sent more than once");
  return readTag(value, "If-Match");
}

/** The same in a body, without required quotes: `if_match` may be a revision as the body of a read has it. */
export function readBodyTag(value: unknown): Expected {
  if (value === undefined) return { kind: "nothing" };
  if (typeof value !== "string") throw invalid("if_match is not a text");
  return readTag(revision.test(value) ? `"${value}"` : value, "if_match");
}

/** Both may be sent if they agree. */
export function agreed(header: Expected, body: Expected): Expected {
  if (header.kind === "nothing") return body;
  if (body.kind !== "nothing" && nameOf(header) !== nameOf(body)) throw invalid("If-Match and if_match differ");
  return header;
}

/** On a write If-None-Match only means: create if absent. */
export function asksToCreate(values: readonly string[] | undefined): boolean {
  if (values === undefined) return false;
  if (values.length === 1 && values[0] === "*") return true;
  throw invalid("If-None-Match accepts only * here");
}

/** For reads: weak comparison, any of the tags. */
export function isNoneMatch(values: readonly string[] | undefined, tag: string): boolean {
  return (values ?? [])
    .flatMap((value) => value.split(","))
    .map((sent) => sent.trim().replace(/^W\//u, ""))
    .every((sent) => sent !== "*" && sent !== tag);
}

function readTag(value: string, name: string): Expected {
  if (value === "*")
    throw invalid(`${name}: * would overwrite any version. Send the ETag of the version that you read`);
  if (weakTag.test(value)) {
    const reason = `${name} is a weak tag, which a write cannot use; a proxy may have weakened it`;
    throw new HttpProblem("concurrency_etag_invalid", { reason }, 412);
  }
  const tag = strongTag.exec(value)?.[1];
  if (tag === undefined) throw invalid(`${name} is not one quoted tag. Send the ETag of the version that you read`);
  return revision.test(tag) ? { kind: "revision", revision: tag } : { kind: "unknown", tag };
}

function nameOf(expected: Expected): string {
  if (expected.kind === "nothing") return "";
  return expected.kind === "revision" ? expected.revision : expected.tag;
}

function invalid(reason: string): HttpProblem {
  return new HttpProblem("concurrency_etag_invalid", { reason });
}
