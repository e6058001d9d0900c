import { isObject } from "./json.ts";
import type { Json } from "./json.ts";

/** The text of a value by RFC 8785: members in the order of their UTF-16 code units, numbers as ECMAScript prints them. */
export function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item as Json)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] as Json)}`).join(",")}}`;
}
