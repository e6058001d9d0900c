import { test } from "node:test";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { promise } from "../api/with-client.ts";
import { serverFor } from "../socket/with-server.ts";

/** Runs one check in process and over each network transport. A client behaves the same on all of them. */
export function onEveryTransport(title: string, check: (client: Client) => Promise<void>): void {
  const [text = title, ids = ""] = title.split(/ (?=\[)/u);
  promise(`${text}, in process ${ids}`.trim(), check);
  for (const [name, transport] of [
    ["the socket", "socket"],
    ["HTTP", "http"],
  ] as const) {
    test(`${text}, over ${name} ${ids}`.trim(), async (t) => {
      const server = await serverFor(t);
      await using client = await connect(server.url, { transport });
      await check(client);
    });
  }
}
