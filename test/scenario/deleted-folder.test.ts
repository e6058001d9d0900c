/** The data folder of a running server disappears. */
import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run, withServer } from "./holdfast-command.ts";

test(
  "a server whose data folder was deleted refuses writes and is not ready, until the folder is back",
  withServer(async ({ folder, url }) => {
    const env = { HOLDFAST_URL: url };
    assert.equal((await run(folder, ["put", "plan/1", "{}"], { env })).code, 0);
    await rename(join(folder, ".holdfast"), join(folder, "moved"));
    const lost = await run(folder, ["put", "plan/2", "{}"], { env });
    assert.notEqual(lost.code, 0);
    assert.match(lost.errors, /journal_unavailable/u);
    assert.equal((await fetch(`${url}/health`)).status, 503);
    assert.equal((await run(folder, ["get", "plan/1"], { env })).code, 0);
    await rename(join(folder, "moved"), join(folder, ".holdfast"));
    const written = await run(folder, ["put", "plan/2", "{}", "--json"], { env });
    assert.equal(written.code, 0, written.errors);
  }),
);
