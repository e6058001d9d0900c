/** Servers that tests and benchmarks need come from Debian. One that can't be had ends the run and says what is missing. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadEnvironment } from "./child-environment.ts";
import { spawnChildSync } from "./spawn-child.ts";

// Debian puts servers where only root looks for commands.
process.env["PATH"] = `${process.env["PATH"] ?? ""}:/usr/sbin`;

export function ensureProgram(program: string, debianPackage: string): void {
  if (isThere(program)) return;
  const remedy = `apt-get install ${debianPackage}`;
  if (process.getuid?.() !== 0) throw new Error(`${program} is not installed: \`${remedy}\``);
  const said = install(debianPackage);
  if (!isThere(program)) throw new Error(`${program} is not installed, and \`${remedy}\` failed: ${said}`);
}

/** Whether it can be started. Not every program knows the word, and says so in its own way. */
function isThere(program: string): boolean {
  return spawnChildSync(program, ["--version"]).error === undefined;
}

/**
 * One at a time: several files of tests find out at once that something is missing, and apt-get refuses all but the first. A
 * fresh machine may have no list of packages yet.
 */
function install(debianPackage: string): string {
  const packages = `apt-get install -y ${debianPackage} || (apt-get update && apt-get install -y ${debianPackage})`;
  const words = [join(tmpdir(), "holdfast-apt.lock"), "sh", "-c", packages];
  const env = downloadEnvironment({ DEBIAN_FRONTEND: "noninteractive" });
  const { stdout, stderr, error } = spawnChildSync("flock", words, { encoding: "utf8", env });
  return error?.message ?? `${stdout}${stderr}`.trim().slice(-2_000);
}
