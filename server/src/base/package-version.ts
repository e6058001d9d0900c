import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** The version of the package that contains this file, in a checkout and in an installation. */
export function packageVersion(): string {
  const file = findPackageJSON("..", import.meta.url);
  if (file === undefined) throw new Error(`no package.json above ${import.meta.url}: reinstall the package`);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
}
