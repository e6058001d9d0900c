/** Rules about single lines, as data: a forbidden pattern, the reason, and an example that the rule must catch. */
import assert from "node:assert/strict";
import type { ProjectFile } from "./tree.ts";

export interface Phrase {
  readonly pattern: RegExp;
  readonly why: string;
  readonly example: string;
}

/** A file that a rule skips, and the reason. */
export interface Exception {
  readonly path: string;
  readonly reason: string;
}

export function linesWith(phrases: readonly Phrase[], files: readonly ProjectFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        phrases
          .filter(({ pattern }) => pattern.test(line))
          .map(({ why }) => `${path}:${index + 1}: ${why} (${line.trim().slice(0, 100)})`),
      ),
  );
}

export function without(files: readonly ProjectFile[], exceptions: readonly Exception[]): readonly ProjectFile[] {
  const excepted = new Set(exceptions.map(({ path }) => path));
  return files.filter(({ path }) => !excepted.has(path));
}

/** A rule that catches nothing is worse than no rule, since reviewers rely on it. */
export function assertEachCatchesItsExample(phrases: readonly Phrase[]): void {
  for (const { pattern, example } of phrases) assert.match(example, pattern);
}

export function assertNone(findings: readonly string[]): void {
  assert.equal(findings.length, 0, `\n${findings.join("\n")}\n`);
}
