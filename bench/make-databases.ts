/** Creates databases on the server of a URL, where they must not exist yet. Returns the URL of each. */
import { Client } from "pg";

export async function makeDatabases<Name extends string>(
  url: string,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const name of names) await client.query(`CREATE DATABASE bench_${name}`);
  } finally {
    await client.end();
  }
  const urls = names.map((name) => [name, Object.assign(new URL(url), { pathname: `/bench_${name}` }).href]);
  return Object.fromEntries(urls) as Record<Name, string>;
}
