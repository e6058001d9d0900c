import { tokenOperations } from "@holdfast/sdk/contract";
import type { InputOf } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { createdKey, tokenTable, tokenView } from "../../features/tokens/token-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import { done } from "../../machine/refusal.ts";

const operation = tokenOperations["list-tokens"];
const pageSize = 100;

async function listTokens(engine: Engine, input: InputOf<typeof operation>): Promise<Outcome> {
  const limit = input.limit ?? pageSize;
  const { after } = input;
  const rows = await engine.scan((state) => state.rows(tokenTable).scan("created", { after, limit: limit + 1 }));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  // An expired token may still be in the table. It is invalid, so it is not shown.
  const items = page.filter((row) => row.expiresAt > engine.now()).map(tokenView);
  return done({ items, next: rows.length > limit && last !== undefined ? createdKey(last) : null });
}

export const tokenReads = [{ operation, read: listTokens }];
