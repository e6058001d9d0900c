/** Words that no function, parameter, field or local value can have as its name. JSON with `__proto__` is refused. */
const keywords: ReadonlySet<string> = new Set(
  [
    "fn pub io total requires ensures invariant struct enum module let var while for in return break continue assert if else",
    "__proto__ match with as and or not true false unit none some ok err result hole bool i8 i16 i32 i64 f32 f64 text never list option",
  ]
    .join(" ")
    .split(" "),
);

export const reservedTypeIds: ReadonlySet<string> = new Set(["option", "result"]);

export function isKeyword(word: string): boolean {
  return keywords.has(word);
}

export const namePattern = /^[a-z_][a-z0-9_]{0,63}$/u;
export const typeNamePattern = /^[A-Z][A-Za-z0-9]{0,63}$/u;
export const itemIdPattern = /^[a-z][a-z0-9_]{0,39}$/u;
