import { endOfString } from "./has-escaped-name.ts";

const space = /[ \n\r\t]*/y;
const scalar = /[^ \n\r\t,\]}]*/y;

/**
 * Reads a JSON text token by token. It is always at the start of a token, behind the white space before it. A text that
 * is not JSON throws a SyntaxError.
 */
export class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skipSpace();
  }

  /** The first character of the next token, or "" at the end of the text. */
  peek(): string {
    return this.#text.charAt(this.#at);
  }

  accept(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.#moveTo(this.#at + 1);
    return true;
  }

  expect(sign: string): void {
    if (!this.accept(sign)) throw new SyntaxError(`Expected ${sign} at offset ${this.#at}`);
  }

  expectEnd(): void {
    if (this.#at < this.#text.length) throw new SyntaxError(`Unexpected text at offset ${this.#at}`);
  }

  /** JSON.parse reads a string correctly if the string is the whole text (see has-escaped-name.ts). */
  readString(): string {
    if (this.peek() !== '"') throw new SyntaxError(`Expected a string at offset ${this.#at}`);
    return JSON.parse(this.readText()) as string;
  }

  /** The text of the next value. It ends where its strings and brackets are balanced, and need not be valid. */
  readText(): string {
    const start = this.#at;
    const end = this.#endOfValue();
    this.#moveTo(end);
    return this.#text.slice(start, end);
  }

  #endOfValue(): number {
    const sign = this.peek();
    if (sign === '"') return endOfString(this.#text, this.#at + 1) + 1;
    if (sign === "{" || sign === "[") return this.#endOfContainer();
    return this.#at + this.#lengthOf(scalar);
  }

  #endOfContainer(): number {
    let depth = 0;
    for (let index = this.#at; index < this.#text.length; index++) {
      const unit = this.#text.charCodeAt(index);
      if (unit === 0x22) index = endOfString(this.#text, index + 1);
      else if (unit === 0x7b || unit === 0x5b) depth++;
      else if ((unit === 0x7d || unit === 0x5d) && --depth === 0) return index + 1;
    }
    return this.#text.length;
  }

  #moveTo(offset: number): void {
    this.#at = offset;
    this.#skipSpace();
  }

  #skipSpace(): void {
    this.#at += this.#lengthOf(space);
  }

  #lengthOf(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0].length ?? 0;
  }
}
