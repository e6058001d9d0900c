/**
 * A checkout of this project in its own folder, with the packages that `npm ci` installs for running a server. It is
 * copied from this checkout, because a real `npm ci` needs half a minute and a network.
 */
import { existsSync, readFileSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawnChildSync } from "./spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const sources = ["package.json", "package-lock.json", "sdk", "server", "tools"];
const commands = ["node_modules/.bin/holdfast", "node_modules/.bin/node"];

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>;
}

export class FreshCheckout {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.install();
  }

  /** Writes all files, as new files. */
  install(): void {
    for (const path of sources) this.#copy(path);
    for (const path of [...installedPackages(), ...commands]) this.#copy(path);
  }

  /** Removes everything that a program could load later: the packages, as `npm ci` does, and also the sources. */
  remove(): void {
    for (const path of [...sources, "node_modules"]) rmSync(join(this.folder, path), { recursive: true });
  }

  /** Packages have thousands of files. Links are faster than copies, if the file system allows them. */
  #copy(path: string): void {
    const to = join(this.folder, dirname(path));
    mkdirSync(to, { recursive: true });
    const isPackage = path.startsWith("node_modules/");
    if (isPackage && spawnChildSync("cp", ["-al", join(root, path), to]).status === 0) return;
    const { status, stderr } = spawnChildSync("cp", ["-a", join(root, path), to]);
    if (status !== 0) throw new Error(`${basename(path)} could not be copied: ${String(stderr)}`);
  }
}

/** The folders of all packages except development packages, and optional ones that npm left out on this platform. */
function installedPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/u.test(path) && dev !== true)
    .filter(([path, { optional }]) => optional !== true || existsSync(join(root, path)))
    .map(([path]) => path);
}
