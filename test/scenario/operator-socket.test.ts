/** The operator's socket: a listener in the data folder that clients of TCP cannot use up or imitate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import { runCli, withCliServer } from "./cli-terminal.ts";

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-operator-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const quiet = { host: "127.0.0.1", port: 0, report: () => undefined };

interface SocketAnswer {
  readonly status: number;
  readonly code: unknown;
}

function ask(path: string, place: string, headers: Record<string, string> = {}, body?: string): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const asked = request({ socketPath: path, path: place, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        const { code } = JSON.parse(text) as { readonly code?: unknown };
        resolve({ status: response.statusCode ?? 0, code });
      });
    });
    asked.on("error", reject).end(body);
  });
}

test(
  "an operator frees a lock while other clients use up all connections of TCP [X15]",
  withCliServer(
    async ({ cli, cliJson, url }) => {
      const lock = '{"paths":["deploy"],"ttl_seconds":60,"owner_id":"ann"}';
      await cliJson(["run", "acquire-lock", lock, "--operator"]);
      const { port } = new URL(url);
      const streams: Socket[] = [];
      for (let count = 0; count < 2; count += 1) {
        const stream = connect(Number(port), "127.0.0.1");
        stream.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
        await once(stream, "data");
        streams.push(stream);
      }
      assert.equal((await cli("locks")).code, 122, "TCP is used up");
      const freed = await cli("force-release deploy --reason blocked");
      assert.match(freed.out, /^released deploy/u, freed.err);
      for (const stream of streams) stream.destroy();
    },
    { limits: { connectionsPerAddressMax: 2, connectionsMax: 2 } },
  ),
);

test("the operator's socket is private, needs a token, and has no host name or origin to check [X14]", async (t) => {
  const data = emptyFolder(t);
  const server = await serve({ ...quiet, data });
  const path = join(data, "operator.sock");
  assert.equal(lstatSync(path).mode & 0o777, 0o600);
  const foreign = { host: "evil.example", origin: "http://evil.example" };
  assert.equal((await ask(path, "/health", foreign)).status, 200);
  assert.deepEqual(await ask(path, "/v1/locks", foreign), { status: 401, code: "token_required" });
  const authorization = `Bearer ${readFileSync(join(data, "operator-token"), "utf8").trim()}`;
  assert.equal((await ask(path, "/v1/locks", { ...foreign, authorization })).status, 200);
  const text = { authorization, "content-type": "text/plain" };
  assert.equal((await ask(path, "/v1/commands", text, "{}")).code, "content_type_unsupported");
  await server.close();
  assert.ok(!existsSync(path), "a stopped server removes its socket");
});

test("the operator's socket closes its longest idle connection beyond 64, and still answers [X15]", async (t) => {
  const data = emptyFolder(t);
  const server = await serve({ ...quiet, data });
  const path = join(data, "operator.sock");
  const sockets = Array.from({ length: 65 }, () => connect({ path }).resume());
  const firstClosed = once(sockets[0]!, "close");
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  await firstClosed;
  assert.equal((await runCli(`token list --data ${data}`)).code, 0);
  for (const socket of sockets) socket.destroy();
  await server.close();
});

test("a server refuses to start if its operator's socket is another file or in use, and leaves both as they are", async (t) => {
  const data = emptyFolder(t);
  const path = join(data, "operator.sock");
  writeFileSync(path, "mine");
  await assert.rejects(serve({ ...quiet, data }), /operator\.sock is not a socket.*move it elsewhere/u);
  assert.equal(readFileSync(path, "utf8"), "mine");
  rmSync(path);
  const other = createServer().listen(path);
  await once(other, "listening");
  await assert.rejects(serve({ ...quiet, data }), /another process listens on .*operator\.sock.*--data/u);
  assert.ok(lstatSync(path).isSocket());
  other.close();
});

test("a data folder with a long path has its operator's socket in a private temporary folder, and loses it at the end", async (t) => {
  const data = join(emptyFolder(t), "long".repeat(20), ".holdfast");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const server = await serve({ ...quiet, data });
  const note = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as { readonly operator_socket: string };
  const folder = dirname(note.operator_socket);
  assert.equal(lstatSync(folder).mode & 0o777, 0o700);
  assert.equal((await runCli("token list", { folder: dirname(data) })).code, 0);
  await server.close();
  assert.ok(!existsSync(folder));
});
