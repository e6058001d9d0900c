/**
 * The operator's token allows everything. The first start makes it and stores it in the data folder. A process
 * that reads that folder can read the whole journal too. A configured token is not stored.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ids } from "../base/ids.ts";
import { digestOf, newSecret } from "../base/new-secret.ts";
import { operatorTokenFile } from "../base/operator-token-file.ts";
import { StartError } from "../base/start-error.ts";

/** Minimum length of a token, in characters. */
const lengthMin = 32;

interface OperatorTokenOptions {
  readonly folder: string;
  /** The operator's own token; undefined for the one in the data folder. */
  readonly configured: string | undefined;
  readonly ids: Ids;
}

/** The digest of the operator's token. The token itself is not kept in memory. */
export async function operatorDigestOf({ folder, configured, ids }: OperatorTokenOptions): Promise<string> {
  if (configured === undefined) return digestOf(await tokenOfFolder(join(folder, operatorTokenFile), ids));
  if (configured.length >= lengthMin) return digestOf(configured);
  throw new StartError(
    `the configured operator token is too short: use at least ${lengthMin} random characters, ` +
      "for example from \`openssl rand -hex 32\`, or configure none and use the one in the data folder",
  );
}

async function tokenOfFolder(file: string, ids: Ids): Promise<string> {
  try {
    // `wx`: a concurrent start uses the existing file and never replaces it.
    await writeFile(file, `${newSecret(ids)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await refuseIfOpen(file);
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= lengthMin) return token;
  throw new StartError(`${file} contains no operator token: delete it, and the next start makes a new one`);
}

async function refuseIfOpen(file: string): Promise<void> {
  // Windows has no such bits. There the rights of the folder protect the file.
  if (process.platform === "win32") return;
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  throw new StartError(
    `${file} is readable by other users, so its token may be known: run \`chmod 600\` on it if you are sure it is not, ` +
      "else delete it, and the next start makes a new one",
  );
}
