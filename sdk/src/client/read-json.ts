/**
 * Reads JSON that a server sent. V8 may read a name that holds an escape wrongly: it compares the raw text with names that
 * it has met before, so that `{"q":1,"a\n":2}` can come out with another name (https://github.com/nodejs/node/issues/63785).
 * Texts alone it reads right. So where a name holds an escape, which is rare, names are read one by one.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? new JsonReader(text).value() : value;
}

/** Backslashes occur in texts only, so a search for the next one skips everything else at the speed of memory. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at)) {
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    let next = at + 1;
    while (text.charCodeAt(next) <= 0x20) next += 1;
    if (text[next] === ":") return true;
  }
  return false;
}

/** A text, a sign, or a number or word. */
const token = /\s*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+)/suy;

/** The text was read by JSON.parse before, so its syntax is right, and it is not too deep for what recurses. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(first = this.#next()): unknown {
    if (first === "{") return this.#object();
    return first === "[" ? this.#array() : JSON.parse(first);
  }

  #array(): unknown[] {
    const elements: unknown[] = [];
    for (let sign = this.#next(); sign !== "]"; sign = this.#next()) {
      elements.push(this.value(sign === "," ? this.#next() : sign));
    }
    return elements;
  }

  #object(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (let sign = this.#next(); sign !== "}"; sign = this.#next()) {
      const name = JSON.parse(sign === "," ? this.#next() : sign) as string;
      this.#next();
      // Defined, not set: a member `__proto__` would be taken for the prototype.
      Object.defineProperty(members, name, {
        value: this.value(),
        ...{ enumerable: true, writable: true, configurable: true },
      });
    }
    return members;
  }

  #next(): string {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text);
    this.#at = token.lastIndex;
    return found?.[1] ?? "";
  }
}
