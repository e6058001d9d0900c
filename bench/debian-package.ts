/** Peers that are servers come from Debian. One that can't be had ends the run and says what is missing. */
import { spawnSync } from "node:child_process";

export function ensureProgram(program: string, debianPackage: string): void {
  if (spawnSync(program, ["--version"]).status === 0) return;
  const remedy = `apt-get install ${debianPackage}`;
  if (process.getuid?.() !== 0) throw new Error(`${program} is not installed: \`${remedy}\``);
  const { status, stderr, error } = spawnSync("apt-get", ["install", "-y", debianPackage], { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} is not installed, and \`${remedy}\` failed: ${error?.message ?? stderr.trim()}`);
}
