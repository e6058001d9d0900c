import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { ticketKind } from "../machine/ticket-kind.ts";

const options = { kinds: [ticketKind], principal: "alice" };

/** One promise, held on every store: what is promised through the Client does not depend on where the journal is. */
export function promise(title: string, check: (client: Client) => Promise<void>): void {
  const [text, ids = ""] = title.split(/ (?=\[)/u);
  test(`${text ?? title}, in memory ${ids}`.trim(), async () => {
    await using client = await open({ memory: true }, options);
    await check(client);
  });
  test(`${text ?? title}, on SQLite ${ids}`.trim(), async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
    try {
      await using client = await open(folder, options);
      await check(client);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
