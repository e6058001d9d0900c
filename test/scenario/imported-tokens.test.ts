/** Tokens of a journal that comes from elsewhere: an import revokes them, a restore keeps them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import { runCli } from "./cli-terminal.ts";
import { inEmptyFolder } from "./program.ts";

/** Runs work with a server on a data folder. */
async function served<Result>(data: string, work: (call: Call) => Promise<Result>): Promise<Result> {
  const server = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined });
  try {
    const operator = readFileSync(join(data, "operator-token"), "utf8").trim();
    return await work(async (operation, input = {}, token = operator) => {
      const response = await fetch(`${server.url}/v1/commands`, {
        method: "POST",
        body: JSON.stringify({ operation, input }),
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      });
      return { status: response.status, body: (await response.json()) as CallBody };
    });
  } finally {
    await server.close();
  }
}

interface CallBody {
  readonly code?: string;
  readonly outcome?: { readonly data: Readonly<Record<string, unknown>> };
}

type Call = (operation: string, input?: object, token?: string) => Promise<{ status: number; body: CallBody }>;

/** A journal with a token that may do everything, and the secret of that token. */
async function journalWithToken(data: string): Promise<string> {
  return served(data, async (call) => {
    const allow = [{ verbs: ["read", "write", "operate"], under: "" }];
    const { body } = await call("create-token", { principal: "author", allow });
    return String(body.outcome?.data["secret"]);
  });
}

test(
  "the first start after an import revokes every token of the file in one entry, which the audit trail shows [X14]",
  inEmptyFolder(async (folder) => {
    const secret = await journalWithToken(join(folder, "theirs"));
    for (const line of [
      "journal export --data theirs --to theirs.ndjson",
      "journal import theirs.ndjson --data ours",
    ]) {
      const { code, err, out } = await runCli(line, { folder });
      assert.equal(code, 0, err);
      if (line.includes("import")) assert.match(out, /The first start revokes all tokens of the file/u);
    }
    await served(join(folder, "ours"), async (call) => {
      const { status, body } = await call("list-tokens", {}, secret);
      assert.deepEqual([status, body.code], [401, "token_invalid"]);
      assert.deepEqual((await call("list-tokens")).body.outcome?.data["items"], []);
    });
    const { out } = await runCli("journal list --data ours", { folder });
    assert.match(out, /holdfast space\.epoch_raised: space because/u);
    const entries = (await runCli("journal list --data ours --json", { folder })).out;
    assert.match(entries, /"space\.epoch_raised".*"token\.revoked"/u, "one entry has both");
    assert.equal((await runCli("verify --data ours", { folder })).code, 0);
  }),
);

test(
  "an import with --keep-tokens and a restore keep the tokens of the journal [X14]",
  inEmptyFolder(async (folder) => {
    const secret = await journalWithToken(join(folder, ".holdfast"));
    for (const line of [
      "journal export --to own.ndjson",
      "journal import own.ndjson --data imported --keep-tokens",
      "backup saved",
      "restore saved --data restored",
    ]) {
      const { code, err, out } = await runCli(line, { folder });
      assert.equal(code, 0, err);
      assert.doesNotMatch(out, /revokes/u);
    }
    for (const data of ["imported", "restored"]) {
      await served(join(folder, data), async (call) => {
        assert.equal((await call("list-tokens", {}, secret)).status, 200, data);
      });
    }
  }),
);
