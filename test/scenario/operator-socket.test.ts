/** The operator's socket: a listener in the data folder that clients of TCP cannot use up or imitate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect as connectClient } from "holdfast";
import { serve } from "../../server/src/assembly/serve.ts";
import { runCli, withCliServer } from "./cli-terminal.ts";

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-operator-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const configured = "configured-by-the-operator-0123456789";

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

test(
  "`holdfast token rotate --operator` replaces the token in the data folder, and the old one ends at once [P6]",
  withCliServer(async ({ cli, cliJson, folder, url }) => {
    const file = join(folder, ".holdfast", "operator-token");
    const old = readFileSync(file, "utf8").trim();
    const auth = { authorization: `Bearer ${old}` };
    await using client = await connectClient(url, { token: old, retry: false });
    await client.tokens.list();
    const stream = await fetch(`${url}/v1/events`, { headers: auth });
    const reader = stream.body!.getReader();
    await reader.read();
    const rotated = await cliJson("token rotate --operator");
    assert.equal(rotated["file"], file);
    while (!(await reader.read()).done);
    await assert.rejects(client.tokens.list(), { code: "token_invalid" });
    assert.equal((await fetch(`${url}/v1/tokens`, { headers: auth })).status, 401);
    const made = readFileSync(file, "utf8").trim();
    assert.match(made, /^hf_[0-9a-f]{64}$/u);
    assert.notEqual(made, old);
    assert.equal(lstatSync(file).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(join(folder, ".holdfast")).filter((name) => name.startsWith("operator-token")),
      ["operator-token"],
    );
    const audit = await cliJson(["run", "list-audit", '{"subject":"access"}']);
    assert.match(
      JSON.stringify(audit),
      /"rotate-operator-token".*"principal":"operator"|"principal":"operator".*"rotate-operator-token"/u,
    );
    assert.doesNotMatch(JSON.stringify([rotated, audit]), new RegExp(made, "u"));
    assert.match((await cli("token rotate --operator x")).err, /TOKEN or --operator, not both/u);
    assert.match((await cli("token rotate --operator --grace 1")).err, /--grace does not apply/u);
    assert.match((await cli("token rotate")).err, /TOKEN is required, or --operator/u);
  }),
);

test(
  "a configured operator's token is not rotated, and the refusal names the setting to change",
  withCliServer(
    async ({ cli }) => {
      const env = { HOLDFAST_OPERATOR_TOKEN: configured, HOLDFAST_DATA: ".holdfast" };
      const { code, err } = await cli("token rotate --operator", { env });
      assert.notEqual(code, 0);
      assert.match(err, /\(operator_token_configured\).*HOLDFAST_OPERATOR_TOKEN, and restart/u);
    },
    { operatorToken: configured },
  ),
);

test(
  "`holdfast token rotate` prints a new secret once, and the old one stays valid for --grace",
  withCliServer(async ({ cli, cliJson, url }) => {
    const made = await cliJson("token create ci --allow read");
    const id = String(made["token_id"]);
    const graced = await cliJson(`token rotate ${id} --grace 60`);
    const status = async (secret: unknown): Promise<number> =>
      (await fetch(`${url}/v1/entities/note`, { headers: { authorization: `Bearer ${String(secret)}` } })).status;
    assert.deepEqual([await status(made["secret"]), await status(graced["secret"])], [200, 200]);
    const { out } = await cli(`token rotate ${id}`);
    const shown = /shown only once: (hf_[0-9a-f]{64})\n$/u.exec(out)?.[1];
    assert.deepEqual(
      [await status(made["secret"]), await status(graced["secret"]), await status(shown)],
      [401, 401, 200],
    );
  }),
);
