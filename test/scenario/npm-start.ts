/** A server that `npm start` runs in a checkout, as a new user starts it, on a free port. */
import assert from "node:assert/strict";
import type { ServerAddress } from "./drive-doors.ts";
import { startCommand } from "./program.ts";

/**
 * The server must stop cleanly. It must not have reported a missing file, except for a worker: a new process needs the
 * packages. Its service starts it once they are back.
 */
export type NpmServer = ServerAddress & AsyncDisposable & { readonly errorLine: (pattern: RegExp) => Promise<string> };

export async function npmStart(folder: string, env: Readonly<Record<string, string>> = {}): Promise<NpmServer> {
  // Configured: the calls through every door rotate the operator's token, if it is a file of the data folder.
  const token = "the-operator-of-npm-start-0123456789";
  const settings = { HOLDFAST_PORT: "0", HOLDFAST_OPERATOR_TOKEN: token, ...env };
  const program = startCommand("npm", ["start"], { folder, env: settings });
  const url = (await program.line(/^ +address/)).replace(/^ +address +/, "");
  await program.line(/Ctrl\+C/);
  return {
    url,
    token,
    errorLine: (pattern) => program.errorLine(pattern),
    async [Symbol.asyncDispose]() {
      program.signal("SIGTERM");
      const { code, lines, errors } = await program.ended;
      assert.equal(code, 0, errors);
      assert.match(lines.at(-1) ?? "", /^stopped at position \d+\.$/);
      const others = errors.split("\n").filter((line) => !line.includes("a worker process did not start"));
      assert.doesNotMatch(others.join("\n"), /ENOENT|ERR_MODULE_NOT_FOUND|Cannot find/);
    },
  };
}
