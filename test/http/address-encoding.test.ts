import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";

/** The status for a path that is sent exactly as given. */
async function statusOf(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, headers });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

test("an absolute or percent-encoded address is served and protected like the plain one [M14]", async (t) => {
  const { url } = await serverFor(t);
  const wrong = { authorization: "Bearer wrong" };
  for (const path of ["/v1/locks", `${url}/v1/locks`, "/%761/locks", "/v%31/locks", "/v1/%6cocks"]) {
    assert.equal(await statusOf(url, path), 200, path);
    assert.equal(await statusOf(url, path, wrong), 401, path);
  }
  for (const path of ["/v1/none", `${url}/v1/none`, "/%761/none", "/none"]) {
    assert.equal(await statusOf(url, path), 404, path);
  }
});
