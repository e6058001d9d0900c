/** Unexpected input: texts, JSON and bytes, made from a seed so that each can be reproduced. */
import type { Random } from "../simulation/random.ts";

const hostile = [
  "",
  " ",
  ".",
  "..",
  "/",
  "//",
  "~",
  "~2",
  "-",
  "--",
  "---",
  "=",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-0",
  "1e400",
  "9007199254740993",
  "\u0000",
  "\u0007",
  "\u001b[31m",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202e",
  "e\u0301",
  "\u00e9",
  "😀",
  "a".repeat(1_025),
  "a/".repeat(40),
  "%2e%2e%2f",
  "\r\n",
  "'; DROP TABLE batches; --",
  "${process.env}",
  "[[[[",
  '{"a":1,"a":2}',
  '{"\\u0061":1,"a":2}',
] as const;

export function anyText(random: Random): string {
  switch (random.weighed({ nasty: 3, ascii: 3, units: 2, joined: 2 })) {
    case "nasty":
      return random.pick(hostile);
    case "ascii":
      return Array.from({ length: random.below(12) }, () => String.fromCharCode(random.between(32, 126))).join("");
    case "units":
      return Array.from({ length: random.below(8) }, () => String.fromCharCode(random.below(0x1_0000))).join("");
    case "joined":
      return Array.from({ length: random.between(1, 4) }, () => random.pick(hostile)).join(random.pick(["", "/", " "]));
  }
}

export function anyNumber(random: Random): number {
  return random.pick([
    0,
    -0,
    1,
    -1,
    random.between(-1_000, 1_000),
    random.bits(),
    random.fraction(),
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 2,
    1e308,
    5e-324,
  ]);
}

export function anyJson(random: Random, depth = 4): unknown {
  const kind = random.weighed({ text: 3, number: 3, word: 2, list: depth, object: depth });
  if (kind === "text") return anyText(random);
  if (kind === "number") return anyNumber(random);
  if (kind === "word") return random.pick([null, true, false]);
  if (kind === "list") return Array.from({ length: random.below(5) }, () => anyJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [anyText(random), anyJson(random, depth - 1)] as const),
  );
}

/** A text with some of it cut out, doubled, changed or put elsewhere. */
export function damaged(random: Random, text: string): string {
  let result = text;
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    const at = random.below(result.length + 1);
    const to = Math.min(result.length, at + random.below(8));
    const part = result.slice(at, to);
    const put = random.pick([
      "",
      part + part,
      random.pick(hostile),
      random.pick(["{", "}", "[", "]", '"', "\\", ":", ",", "0", "-", "\\u00", " "]),
      String.fromCharCode(random.below(0x1_0000)),
    ]);
    result = result.slice(0, at) + put + result.slice(to);
  }
  return result;
}

/** Brackets inside brackets, balanced or not. */
export function deepText(random: Random, depth: number): string {
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"b":[', "]}]"],
  ] as const);
  return open.repeat(depth) + random.pick(["1", "", '"x"']) + (random.chance(0.7) ? close.repeat(depth) : "");
}

export function anyBytes(random: Random, lengthMax: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(lengthMax) }, () => random.below(256)));
}
