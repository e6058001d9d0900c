/**
 * Installs the Debian packages of servers that tests and benchmarks need. A missing package ends the run with its name.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadEnvironment } from "./child-environment.ts";
import { spawnChildSync } from "./spawn-child.ts";

// Debian installs servers in a folder that is only in the PATH of root.
process.env["PATH"] = `${process.env["PATH"] ?? ""}:/usr/sbin`;

export function ensureProgram(program: string, debianPackage: string): void {
  if (isThere(program)) return;
  const remedy = `apt-get install ${debianPackage}`;
  if (process.getuid?.() !== 0) throw new Error(`${program} is not installed: \`${remedy}\``);
  const output = install(debianPackage);
  if (!isThere(program)) throw new Error(`${program} is not installed, and \`${remedy}\` failed: ${output}`);
}

/** True if the program can be started. Any exit code counts, because not every program knows the option. */
function isThere(program: string): boolean {
  return spawnChildSync(program, ["--version"]).error === undefined;
}

/**
 * One at a time: several test files may find the same package missing, and apt-get refuses all but the first. A new
 * machine may have no package list yet.
 */
function install(debianPackage: string): string {
  const packages = `apt-get install -y ${debianPackage} || (apt-get update && apt-get install -y ${debianPackage})`;
  const args = [join(tmpdir(), "holdfast-apt.lock"), "sh", "-c", packages];
  const env = downloadEnvironment({ DEBIAN_FRONTEND: "noninteractive" });
  const { stdout, stderr, error } = spawnChildSync("flock", args, { encoding: "utf8", env });
  return error?.message ?? `${stdout}${stderr}`.trim().slice(-2_000);
}
