import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Environment, WrittenAddress } from "./environment.ts";

export const environment: Environment = {
  variable: (name) => (process.env[name] === "" ? undefined : process.env[name]),
  writtenAddress: () => nearest(process.cwd()),
};

function nearest(folder: string): WrittenAddress | undefined {
  const found = read(join(folder, ".holdfast", "server.json"));
  if (found !== undefined) return found;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearest(parent);
}

/** A file that is not there, or is not what it should be, names no server. */
function read(file: string): WrittenAddress | undefined {
  try {
    const { url } = JSON.parse(readFileSync(file, "utf8")) as { readonly url?: unknown };
    return typeof url === "string" && URL.canParse(url) ? { url, file } : undefined;
  } catch {
    return undefined;
  }
}
