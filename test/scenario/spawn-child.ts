/** Starts processes as `node:child_process` does, in a clean environment. The `env` of a test is added to it. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import type {
  ExecFileOptionsWithStringEncoding,
  ExecFileSyncOptions,
  SpawnOptions,
  SpawnSyncOptions,
} from "node:child_process";
import { promisify } from "node:util";
import { childEnvironment } from "./child-environment.ts";

type Words = readonly string[];

export const spawnChild = ((file: string, args: Words, options: SpawnOptions) =>
  spawn(file, args, clean(options))) as typeof spawn;

export const spawnChildSync = ((file: string, args: Words, options?: SpawnSyncOptions) =>
  spawnSync(file, args, clean(options))) as typeof spawnSync;

export const execChildSync = ((file: string, args: Words, options?: ExecFileSyncOptions) =>
  execFileSync(file, args, clean(options))) as typeof execFileSync;

/** Waits for the end of the process. It must end with 0. */
export function execChild(
  file: string,
  args: Words,
  options: Partial<ExecFileOptionsWithStringEncoding> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(file, args, { encoding: "utf8", ...clean(options) });
}

function clean<Options extends { readonly env?: NodeJS.ProcessEnv | undefined }>(options?: Options) {
  return { ...options, env: childEnvironment(options?.env) };
}
