/**
 * The operator's token: who has it may do everything. It is made at the first start and lies in the data folder, where
 * whoever can read it could do anything anyway; or it is given, and then lies nowhere.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ids } from "../base/ids.ts";
import { digestOf, newSecret } from "../base/new-secret.ts";
import { operatorTokenFile } from "../base/operator-token-file.ts";
import { StartError } from "../base/start-error.ts";

const lengthMin = 32;

export interface OperatorTokenOptions {
  readonly folder: string;
  /** The token, if the operator has brought one. */
  readonly given?: string;
  readonly ids: Ids;
}

/** The digest of the operator's token; the token itself is not kept in memory. */
export async function operatorDigestOf({ folder, given, ids }: OperatorTokenOptions): Promise<string> {
  if (given === undefined) return digestOf(await tokenOfFolder(join(folder, operatorTokenFile), ids));
  if (given.length >= lengthMin) return digestOf(given);
  throw new StartError(
    `the operator token that was given is too short: take at least ${lengthMin} random characters, ` +
      "such as `openssl rand -hex 32` makes, or give none and use the one in the data folder",
  );
}

async function tokenOfFolder(file: string, ids: Ids): Promise<string> {
  try {
    // `wx`: whoever comes second finds the one that is there, and never replaces it.
    await writeFile(file, `${newSecret(ids)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await refuseIfOpen(file);
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= lengthMin) return token;
  throw new StartError(`${file} holds no operator token: delete it, and the next start makes a new one`);
}

async function refuseIfOpen(file: string): Promise<void> {
  // Windows has no such bits; there the folder's own rights protect it.
  if (process.platform === "win32") return;
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  throw new StartError(
    `${file} can be read by others, so what it holds may be known: run \`chmod 600\` on it if you are sure it is not, ` +
      "else delete it, and the next start makes a new one",
  );
}
