/** Clients of two nodes, each with a storage root of its own, over HTTP and the socket. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect, HoldfastError, systemClientClock } from "@holdfast/sdk";
import type { Client } from "@holdfast/sdk";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { operatorSecret } from "../access/gated-node.ts";
import { doorsOfServices } from "../doors/doors-of-services.ts";
import { temporaryRoot } from "../observe/temporary-root.ts";
import { shareJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

/** A client that uses the first address first. By default the order is random. */
const clientOf = (urls: readonly string[], transport: "socket" | "http"): Promise<Client> =>
  connect(urls, { token: operatorSecret, transport, retry: false, clock: { ...systemClientClock, random: () => 0 } });

/** A server that records its requests, and is not a node. */
async function stranger() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ""} ${request.headers.authorization ?? ""}`);
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

test("a client with both addresses follows to the node of a root, and sends its token to no other address [W11]", async () => {
  const shared = shareJournal(await processPostgres(), "roots");
  await using opened = new AsyncDisposableStack();
  opened.defer(() => shared.close());
  const foreign = opened.use(await stranger());
  const urls: string[] = [];
  for (const root of ["left", "right"]) {
    const { services } = await shared.node();
    const doors = await doorsOfServices(services);
    opened.defer(() => doors[Symbol.asyncDispose]());
    urls.push(doors.url);
    const own = opened.use(await temporaryRoot(root, root, doors.url));
    // The second node also announces a root under an address that is not its own.
    const bait = root === "right" ? [opened.use(await temporaryRoot("bait", root, foreign.url)).service] : [];
    const keeper = new ServiceKeeper([own.service, ...bait], { services, report: () => undefined });
    await keeper.start();
    opened.defer(() => keeper.stop());
  }
  const [first = "", second = ""] = urls;
  for (const transport of ["http", "socket"] as const) {
    await using client = await clientOf(urls, transport);
    const target = `${transport}/tiles`;
    await using publish = await client.files.publish(target, { root: "right" });
    await publish.write("a", "first");
    await publish.write("b/c", "second");
    assert.equal((await publish.commit()).version, 1, transport);
    assert.equal(Buffer.from(await client.files.read(target, "b/c")).toString(), "second", transport);
    assert.equal((await client.files.list(target)).items.length, 2, transport);
    await using here = await client.files.publish(`${transport}/here`, { root: "left" });
    await here.write("a", "x");
    await here.commit();
    assert.equal(Buffer.from(await client.files.read(`${transport}/here`, "a")).toString(), "x", transport);

    await using alone = await clientOf([first], transport);
    const refused = await alone.files.read(target, "a").catch((error: unknown) => error);
    assert.ok(refused instanceof HoldfastError, transport);
    assert.deepEqual(
      [refused.code, refused.data],
      ["files.root_elsewhere", { root: "right", node: "right", url: second }],
    );
    await assert.rejects(client.files.publish("x/bait", { root: "bait" }), {
      code: "files.root_elsewhere",
      data: { root: "bait", node: "right", url: foreign.url },
    });
  }
  assert.deepEqual(foreign.requests, [], "an address of an answer gets no request and no token");
});
