import { hash, timingSafeEqual } from "node:crypto";
import type { Ids } from "./ids.ts";

/** A secret of 256 random bits, with a beginning by which people and scanners recognise what it is. */
export function newSecret(ids: Ids): string {
  return `hf_${ids.salts(2).join("")}`;
}

/** All that is ever kept of a secret. It has 256 random bits, so a plain hash can't be turned around. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Takes the same time wherever they differ, so that nobody can find a digest out piece by piece. */
export function isSameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, "hex"), Buffer.from(other, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}
