import type { ByteRange } from "@holdfast/sdk";

/**
 * The bytes that a `Range` header names. Undefined if the whole is to be sent: there is no header, it has another unit or
 * several ranges, or it is malformed. An empty range cannot be satisfied.
 */
export function readRange(header: string | undefined, length: number): ByteRange | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/u.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  // `-500` are the last 500 bytes.
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length : Math.min(length, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  return start < end ? { start, end } : "unsatisfiable";
}
