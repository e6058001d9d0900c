/** The checks of voice and names. `test/tidy/report.ts` shows their findings, `test/tidy/voice.test.ts` holds them. */
import { findBannedPhrases } from "./banned-phrases.ts";
import { findFileExports } from "./file-exports.ts";
import type { Finding } from "./finding.ts";
import { findLongSentences } from "./long-sentences.ts";
import { findTestTitles } from "./test-titles.ts";
import { type ProjectFile, projectFiles } from "./tree.ts";
import { findTypeNames } from "./type-names.ts";

export const checks = {
  phrases: findBannedPhrases,
  sentences: findLongSentences,
  types: findTypeNames,
  exports: findFileExports,
  titles: findTestTitles,
} satisfies Record<string, (files: readonly ProjectFile[]) => readonly Finding[]>;

export type CheckName = keyof typeof checks;

export const checkNames = Object.keys(checks) as readonly CheckName[];

const isGenerated = (text: string): boolean =>
  /\b(do not edit|generated (by|from)|made by `npm run)/iu.test(text.slice(0, 400));

/** Fixtures are recorded, the license is quoted, and the source of a generated page is checked instead of the page. */
export const checkedFiles: readonly ProjectFile[] = projectFiles.filter(
  ({ path, text }) =>
    !path.startsWith("test/fixtures/") && path !== "LICENSE" && !(path.endsWith(".md") && isGenerated(text)),
);
