#!/usr/bin/env node
// The command `holdfast`. It runs the sources in a checkout and the built files in an installed package, so there is
// nothing to build before the first start. Plain JavaScript: an old Node must get as far as the sentence below.
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const needed = 24;
const running = process.versions.node;

if (Number(running.split(".")[0]) < needed) {
  console.error(
    `holdfast needs Node ${needed} or later; this is Node ${running}. ` +
      `Install Node ${needed} from https://nodejs.org, or put a newer one first in PATH, and try again.`,
  );
  process.exit(1);
}

// The compiled code of the last run, in a folder of this user: another user could put other code into a shared one.
const { XDG_CACHE_HOME: caches = "" } = process.env;
module.enableCompileCache(join(caches.startsWith("/") ? caches : join(homedir(), ".cache"), "holdfast", "code"));

const source = new URL("../src/doors/cli/main.ts", import.meta.url);
const built = new URL("../doors/cli/main.js", import.meta.url);
await import(existsSync(source) ? source.href : built.href);
