import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { ticketKind } from "../machine/ticket-kind.ts";

type Check = (client: Client) => Promise<void>;

const options = { kinds: [ticketKind], principal: "alice" };

/**
 * A test of one promise through the Client, in memory. The suites of the journal test every store, so each file repeats
 * only one of its tests on another store.
 */
export function promise(title: string, check: Check): void {
  test(title, async () => {
    await using client = await open({ memory: true }, options);
    await check(client);
  });
}

/** The same test in memory and on SQLite. */
export function promiseOnEveryStore(title: string, check: Check): void {
  const [text = title, ids = ""] = title.split(/ (?=\[)/u);
  promise(`${text}, in memory ${ids}`.trim(), check);
  test(`${text}, on SQLite ${ids}`.trim(), async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
    try {
      await using client = await open(folder, options);
      await check(client);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
