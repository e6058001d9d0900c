/** Certificates for servers on loopback, made for each test. None is stored in the project, so none expires. */
import { join } from "node:path";
import { ensureProgram } from "./debian-package.ts";
import { spawnChildSync } from "./spawn-child.ts";

export interface Certificates {
  /** Has signed all of these. */
  readonly authority: string;
  /** Has signed none of these. */
  readonly stranger: string;
  readonly server: Pair;
  readonly client: Pair;
}

/** The paths of two files. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export function makeCertificates(folder: string): Certificates {
  ensureProgram("openssl", "openssl");
  const authority = pairIn(folder, "authority");
  const stranger = pairIn(folder, "stranger");
  for (const pair of [authority, stranger]) issue(pair, "CN=an authority of a test");
  const [server, client] = [pairIn(folder, "server"), pairIn(folder, "client")];
  for (const pair of [server, client]) {
    issue(pair, "CN=localhost", "-CA", authority.cert, "-CAkey", authority.key, "-addext", "basicConstraints=CA:FALSE");
  }
  return { authority: authority.cert, stranger: stranger.cert, server, client };
}

function pairIn(folder: string, name: string): Pair {
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}

/** Self-signed, unless an authority is given. */
function issue({ cert, key }: Pair, subject: string, ...more: readonly string[]): void {
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", `/${subject}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const { status, stderr } = spawnChildSync("openssl", [...args, ...names, "-keyout", key, "-out", cert, ...more]);
  if (status !== 0) throw new Error(`openssl made no certificate: ${String(stderr)}`);
}
