import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificates } from "../scenario/certificates.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { startOwnPostgres } from "../scenario/private-postgres.ts";
import { inEmptyFolder } from "../scenario/program.ts";

/** Starts a node on this journal. If it starts, stops it in order. */
async function tryNode(folder: string, journal: string): Promise<{ isUp: boolean; shown: string }> {
  const program = holdfast(folder, "up --json", { env: { HOLDFAST_JOURNAL: journal } });
  const up = program.line(/"event":"up"/u).then(
    () => true,
    () => false,
  );
  const isUp = await Promise.race([up, program.ended.then(() => false)]);
  if (isUp) program.signal("SIGTERM");
  const { code, lines, errors } = await program.ended;
  assert.equal(code === 0, isUp, errors);
  return { isUp, shown: [...lines, errors].join("\n") };
}

test(
  "a node connects to a Postgres that requires TLS with the right authority, and otherwise refuses it with the reason",
  inEmptyFolder(async (folder) => {
    const { authority, stranger, server } = makeCertificates(folder);
    const postgres = await startOwnPostgres({ isDurable: true, tls: server });
    try {
      const at = (query: string) => tryNode(folder, `${postgres.url}?${query}`);
      const trusted = await at(`sslmode=verify-full&sslrootcert=${authority}`);
      assert.equal(trusted.isUp, true, trusted.shown);
      const refusals: readonly (readonly [string, RegExp])[] = [
        [`sslmode=verify-full&sslrootcert=${stranger}`, /unable to verify the first certificate/u],
        ["sslmode=disable", /no encryption/u],
      ];
      for (const [query, reason] of refusals) {
        const refused = await at(query);
        assert.equal(refused.isUp, false, query);
        assert.match(refused.shown, reason);
      }
    } finally {
      await postgres.stop();
    }
  }),
);
