/**
 * The operator's token allows everything. The first start makes it and stores it in the data folder. A process
 * that reads that folder can read the whole journal too. A configured token is not stored.
 */
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ids } from "../base/ids.ts";
import { digestOf, isSameDigest, newSecret } from "../base/new-secret.ts";
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

/** A new token that is written and not yet valid. */
interface PreparedToken {
  readonly file: string;
  readonly apply: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** The operator's token of this node. The token itself is not kept in memory, only its digest. */
export class OperatorToken {
  #digest: string;
  readonly #callbacks = new Set<() => void>();
  /** Two rotations at once must not leave one token in the file and the other in memory. */
  #applied: Promise<void> = Promise.resolve();
  /** Absent if the token does not come from a data folder. */
  readonly rotation: { prepare(): Promise<PreparedToken> } | undefined;

  constructor(digest: string, source?: { readonly file: string; readonly ids: Ids }) {
    this.#digest = digest;
    this.rotation = source && { prepare: () => this.#prepare(source.file, source.ids) };
  }

  /** Whether this is the digest of the current token. Compared in constant time. */
  hasDigest(digest: string): boolean {
    return isSameDigest(digest, this.#digest);
  }

  /** Calls back when the token has changed. Returns the function to unsubscribe. */
  onRotated(callback: () => void): () => void {
    const own = (): void => callback();
    this.#callbacks.add(own);
    return () => {
      this.#callbacks.delete(own);
    };
  }

  async #prepare(file: string, ids: Ids): Promise<PreparedToken> {
    const secret = newSecret(ids);
    const draft = `${file}.${ids.unique()}`;
    await writeDurably(draft, `${secret}\n`);
    return {
      file,
      apply: () => {
        const applied = this.#applied.then(async () => {
          // Atomic: a reader finds the old token or the new one, never a part.
          await rename(draft, file);
          this.#digest = digestOf(secret);
          for (const callback of [...this.#callbacks]) callback();
        });
        this.#applied = applied.catch(() => undefined);
        return applied;
      },
      discard: () => rm(draft, { force: true }),
    };
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads the operator's token. The first start makes it. */
export async function readOperatorToken({ folder, configured, ids }: OperatorTokenOptions): Promise<OperatorToken> {
  const file = join(folder, operatorTokenFile);
  if (configured === undefined) {
    await removeDrafts(folder);
    return new OperatorToken(digestOf(await tokenOfFolder(file, ids)), { file, ids });
  }
  if (configured.length >= lengthMin) return new OperatorToken(digestOf(configured));
  throw new StartError(
    `the configured operator token is too short: use at least ${lengthMin} random characters, ` +
      "for example from \`openssl rand -hex 32\`, or configure none and use the one in the data folder",
  );
}

/** A crash during a rotation leaves a token that was never valid. */
async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(`${operatorTokenFile}.`));
  for (const name of drafts) await rm(join(folder, name), { force: true });
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
