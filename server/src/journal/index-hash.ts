import { hashText } from "./seal.ts";

/** 16 bytes of SHA-256, in hex. A collision does not happen by accident and cannot be constructed. */
export function indexHash(text: string): string {
  return hashText(text).slice(0, 32);
}
