import { canonicalTarget } from "./canonical-target.ts";
import { cliTarget } from "./cli-target.ts";
import { fileTarget } from "./file-target.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { pathTarget } from "./path-target.ts";
import { programTarget } from "./program-target.ts";
import { socketTarget } from "./socket-target.ts";

export const targets: readonly FuzzTarget[] = [
  canonicalTarget,
  pathTarget,
  cliTarget,
  fileTarget,
  programTarget,
  socketTarget,
];
