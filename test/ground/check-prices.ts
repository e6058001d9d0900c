import type { KindChange, KindVerdict } from "holdfast";

/** The module of the toy check: an order must not cost more than its limit. It runs in the thread of checks. */
export function check({ next, read }: KindChange): KindVerdict {
  if (next === undefined) return { ok: true };
  const { price, limit } = next as { readonly price: number; readonly limit: string };
  if (price === 666) process.exit(1);
  if (price === 777) throw new Error("a defect of the check");
  for (let rounds = 0; price === 888; rounds += 1) if (rounds < 0) break;
  const max = (read("limit", limit) as { readonly max: number } | undefined)?.max ?? 0;
  return price <= max ? { ok: true } : { ok: false, errors: [{ code: "too_expensive", max }] };
}
