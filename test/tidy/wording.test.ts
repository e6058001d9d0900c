import { test } from "node:test";
import { assertEachCatchesItsExample, assertNone, type Exception, linesWith, type Phrase, without } from "./phrases.ts";
import { projectFiles } from "./tree.ts";

/** The text of the project speaks of the project: whoever reads it has nothing but this repository. */
const phrases: readonly Phrase[] = [
  {
    pattern: /\.\.\/shared\b|\/work\//,
    why: "names a place outside the repository",
    example: "see ../shared/notes.md",
  },
  {
    pattern: /\b(this|the previous|the last|an earlier|the next) session\b|\bsession \d+/i,
    why: "tells how the work was organised, not what the project is",
    example: "Left over from the previous session",
  },
  {
    pattern: /\b(issue|pull request|PR)s? #?\d+\b|(^|[\s(])#\d+\b/i,
    why: "points at a tracker that the reader may not have; write down the reason instead",
    example: "fixes the race (issue 12)",
  },
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    why: "do it, or say in a sentence what is missing and what that means for the user",
    example: "// TODO later",
  },
];

const exceptions: readonly Exception[] = [
  { path: "test/tidy/wording.test.ts", reason: "it names what it forbids" },
  { path: "package-lock.json", reason: "npm writes it" },
  { path: "LICENSE", reason: "the words of the Apache Software Foundation" },
];

test("the project's text speaks of the project alone", () => {
  assertNone(linesWith(phrases, without(projectFiles, exceptions)));
});

test("the rules about wording catch what they forbid", () => {
  assertEachCatchesItsExample(phrases);
});
