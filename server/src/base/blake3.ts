import { createBLAKE3 } from "hash-wasm";

/**
 * Starts BLAKE3 with 256 bits: the result hashes a text or bytes to 64 hexadecimal digits. The library starts asynchronously and
 * its hasher is not re-entrant, so each thread makes one and passes it to code that cannot wait.
 */
export async function startBlake3(): Promise<(content: string | Uint8Array) => string> {
  const hasher = await createBLAKE3(256);
  return (content) => hasher.init().update(content).digest("hex");
}
