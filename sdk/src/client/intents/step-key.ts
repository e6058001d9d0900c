/** The key of a step for other systems: a UUID of version 8, made of the intent, the run and the step alone. */
export async function stepKey(parts: readonly (string | number)[]): Promise<string> {
  const bytes = new TextEncoder().encode(["holdfast step 1", ...parts].join("\0"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
