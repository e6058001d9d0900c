import { isIdempotencyKey } from "@holdfast/sdk/base/is-idempotency-key";
import { HttpProblem } from "../response/http-problem.ts";

/** The idempotency key, bare or quoted as in the draft of the header. Both spellings are the same key. */
export function readKey(values: readonly string[] | undefined): string | undefined {
  if (values === undefined) return undefined;
  const [value = "", ...more] = values;
  if (more.length > 0) throw invalid("the header is sent more than once");
  const key = /^"(.*)"$/u.exec(value)?.[1] ?? value;
  if (!isIdempotencyKey(key))
    throw invalid("the key is empty, longer than 255 characters, or has characters that are not allowed");
  return key;
}

function invalid(reason: string): HttpProblem {
  return new HttpProblem("idempotency_key_invalid", { reason });
}
