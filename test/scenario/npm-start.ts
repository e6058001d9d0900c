/** A server that `npm start` runs in a checkout, as a new user starts it, on a free port. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerAddress } from "./drive-doors.ts";
import { startCommand } from "./program.ts";

/** The server must stop cleanly and must not have reported a missing file. */
export type NpmServer = ServerAddress & AsyncDisposable;

export async function npmStart(folder: string, env: Readonly<Record<string, string>> = {}): Promise<NpmServer> {
  const program = startCommand("npm", ["start"], { folder, env: { HOLDFAST_PORT: "0", ...env } });
  const url = (await program.line(/^ +address/)).replace(/^ +address +/, "");
  await program.line(/Ctrl\+C/);
  return {
    url,
    token: readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim(),
    async [Symbol.asyncDispose]() {
      program.signal("SIGTERM");
      const { code, lines, errors } = await program.ended;
      assert.equal(code, 0, errors);
      assert.match(lines.at(-1) ?? "", /^stopped at position \d+\.$/);
      assert.doesNotMatch(errors, /ENOENT|ERR_MODULE_NOT_FOUND|Cannot find/);
    },
  };
}
