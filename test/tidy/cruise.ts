/** Runs dependency-cruiser with the project's rules, on the project or on any other folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tree.ts";
import { execChildSync } from "../scenario/spawn-child.ts";

export interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
}

const command = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");
const folders = ["sdk", "server", "test", "bench", "tools"];

export function cruise(folder: string): Cruise {
  const present = folders.filter((name) => existsSync(join(folder, name)));
  const options = ["--config", join(root, ".dependency-cruiser.js"), "--output-type", "json"];
  const output = execChildSync(process.execPath, [command, ...options, ...present], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return JSON.parse(output) as Cruise;
}
