/** The gate of a real server on a real folder, tested over HTTP. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions, RunningServer } from "../../server/src/assembly/serve.ts";

interface Served extends RunningServer {
  readonly data: string;
  readonly reports: string[];
  /** The status and the body of the answer to a command. */
  command(operation: string, input: object, headers?: Record<string, string>): Promise<[number, Answer]>;
}

type Answer = Record<string, unknown> & { readonly outcome?: { readonly data: Record<string, unknown> } };

async function serving(data: string, options: Partial<ServeOptions> = {}): Promise<Served> {
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const running = await serve({ data, host: "127.0.0.1", port: 0, report, ...options });
  const { port } = new URL(running.url);
  return {
    ...running,
    data,
    reports,
    async command(operation, input, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/commands`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ operation, input }),
      });
      return [response.status, (await response.json()) as Answer];
    },
  };
}

function inFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-access-"));
    try {
      await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });
const settings = { settings: { state_hash_every: 1_000 } };

test(
  "the first start creates an operator token that only its owner can read, and later starts keep it [W10]",
  inFolder(async (folder) => {
    const first = await serving(folder);
    const file = join(folder, "operator-token");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const secret = (await readFile(file, "utf8")).trim();
    assert.match(secret, /^hf_[0-9a-f]{64}$/);
    assert.deepEqual((await first.command("configure", settings))[0], 403);
    assert.deepEqual((await first.command("configure", settings, bearer(secret)))[0], 200);
    assert.deepEqual((await first.command("configure", settings, bearer(`${secret}0`)))[0], 401);
    await first.close();
    const second = await serving(folder);
    assert.equal((await second.command("list-tokens", {}, bearer(secret)))[0], 200);
    await second.close();
    await chmod(file, 0o644);
    await assert.rejects(serving(folder), /operator-token is readable by other users.*chmod 600/);
    await chmod(file, 0o600);
    await (await serving(folder)).close();
  }),
);

test(
  "a configured operator token is the only one, is not written to a file, and has a minimum length",
  inFolder(async (folder) => {
    await assert.rejects(serving(folder, { operatorToken: "short" }), /too short.*openssl rand/);
    const operatorToken = "0123456789abcdef0123456789abcdef";
    const server = await serving(folder, { operatorToken });
    assert.equal((await server.command("list-tokens", {}, bearer(operatorToken)))[0], 200);
    await server.close();
    assert.ok(!(await readdir(folder)).includes("operator-token"));
  }),
);

test(
  "a server on a public address refuses to start without tokens, explains the fix, and requires a token from all callers",
  inFolder(async (folder) => {
    await assert.rejects(
      serving(folder, { host: "0.0.0.0" }),
      /there is no token.*127\.0\.0\.1.*HOLDFAST_OPERATOR_TOKEN/,
    );
    const local = await serving(folder);
    const operator = bearer((await readFile(join(folder, "operator-token"), "utf8")).trim());
    const [, made] = await local.command(
      "create-token",
      { principal: "ci", allow: [{ verbs: ["read"], under: "" }] },
      operator,
    );
    await local.close();
    const open = await serving(folder, { host: "0.0.0.0" });
    assert.match(open.reports.join("\n"), /plain HTTP.*TLS/);
    const [status, problem] = await open.command("list-entities", { type: "doc" });
    assert.deepEqual([status, problem["code"]], [401, "token_required"]);
    const secret = String(made.outcome?.data["secret"]);
    assert.equal((await open.command("list-entities", { type: "doc" }, bearer(secret)))[0], 200);
    await open.close();
  }),
);

test(
  "a server with requireToken or with allowed hosts requires a token from local callers too",
  inFolder(async (folder) => {
    for (const options of [{ requireToken: true }, { allowedHosts: ["holdfast.example"] }]) {
      const server = await serving(folder, options);
      assert.equal((await server.command("list-entities", { type: "doc" }))[0], 401);
      await server.close();
    }
  }),
);

test(
  "no secret occurs in the journal, a file of the data folder, a report, a problem or a list",
  inFolder(async (folder) => {
    const server = await serving(folder);
    const operator = (await readFile(join(folder, "operator-token"), "utf8")).trim();
    const allow = [{ verbs: ["read", "write", "lock", "register"], under: "" }];
    const [, made] = await server.command("create-token", { principal: "ci", allow }, bearer(operator));
    const token = String(made.outcome?.data["secret"]);
    const [, agent] = await server.command("register-agent", { name: "a" }, bearer(token));
    const agentSecret = String(agent.outcome?.data["secret"]);
    const as = {
      ...bearer(token),
      "x-agent-id": String(agent.outcome?.data["agent_id"]),
      "x-agent-secret": agentSecret,
    };
    const answers = [
      await server.command("acquire-lock", { paths: ["repo/a"] }, as),
      await server.command("acquire-lock", { paths: 7 }, as),
      await server.command("configure", settings, as),
      await server.command("get-entity", { type: "doc", id: "1" }, bearer(`${token}x`)),
      await server.command("get-entity", { type: "doc", id: "1" }, { ...as, "x-agent-secret": `${agentSecret}x` }),
      await server.command("list-agents", {}, bearer(token)),
      await server.command("list-tokens", {}, bearer(operator)),
      await server.command("list-journal", {}, bearer(operator)),
      await server.command("revoke-token", { token_id: made.outcome?.data["token_id"] }, bearer(operator)),
      await server.command("acquire-lock", { paths: ["repo/a"] }, as),
    ];
    assert.deepEqual(
      answers.map(([status]) => status),
      [200, 422, 403, 401, 401, 200, 200, 200, 200, 401],
    );
    await server.close();
    const files = (await readdir(folder, { recursive: true })).filter((name) => name !== "operator-token");
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "latin1").catch(() => "")));
    assert.ok(texts.join("").includes("token.created"), "the journal is readable as text");
    for (const secret of [operator, token, agentSecret]) {
      assert.match(secret, /^hf_[0-9a-f]{64}$/);
      assert.ok(!JSON.stringify(answers).includes(secret.slice(3)), "an answer has a secret");
      assert.ok(!server.reports.join("\n").includes(secret.slice(3)), "a report has a secret");
      assert.ok(!texts.join("").includes(secret.slice(3)), "a file has a secret");
    }
  }),
);
