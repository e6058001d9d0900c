import { hash, timingSafeEqual } from "node:crypto";
import type { Ids } from "./ids.ts";

/** A secret of 256 random bits, with a prefix by which people and scanners recognise it. */
export function newSecret(ids: Ids): string {
  return `hf_${ids.salts(2).join("")}`;
}

/** The digest is the only part of a secret that is stored. The secret has 256 random bits, so a plain hash is safe. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compares in constant time, so that an attacker cannot find a digest piece by piece. */
export function isSameDigest(first: string, second: string): boolean {
  const [a, b] = [Buffer.from(first, "hex"), Buffer.from(second, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}
