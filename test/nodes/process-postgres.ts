/** One Postgres for all test files of a process: a start takes longer than most of their tests. */
import { after } from "node:test";
import { type PrivatePostgres, startPostgres } from "../scenario/private-postgres.ts";

let started: Promise<PrivatePostgres> | undefined;
const cleanUps: (() => Promise<void>)[] = [];

after(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  await (await started)?.stop();
});

/** Tests use their own schemas. `cleanUp` removes them after all tests of the process. */
export function processPostgres(cleanUp?: () => Promise<void>): Promise<Pick<PrivatePostgres, "url">> {
  if (cleanUp !== undefined) cleanUps.push(cleanUp);
  started ??= startPostgres();
  return started;
}
