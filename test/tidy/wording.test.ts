import { test } from "node:test";
import { assertEachCatchesItsExample, assertNone, type Exception, linesWith, type Phrase, without } from "./phrases.ts";
import { projectFiles } from "./tree.ts";

/** Readers have only this repository, so its text refers to nothing outside. */
const phrases: readonly Phrase[] = [
  {
    pattern: /\.\.\/shared\b|\/work\//,
    why: "names a path outside the repository",
    example: "see ../shared/notes.md",
  },
  {
    pattern: /\b(this|the previous|the last|an earlier|the next) session\b|\bsession \d+/i,
    why: "describes how the work was organised, not the project",
    example: "Left over from the previous session",
  },
  {
    pattern: /\b(issue|pull request|PR)s? #?\d+\b|(^|[\s(])#\d+\b/i,
    why: "points at a tracker that the reader may not have; write down the reason instead",
    example: "fixes the race (issue 12)",
  },
  {
    pattern: /\b(specification|research) (behind|\d)|\bas the (design|specification) (says|defines)\b/i,
    why: "names a text that the reader may not have; write down what it says",
    example: "Where specification 004 asks for it",
  },
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    why: "do it, or describe what is missing and what that means for the user",
    example: "// TODO later",
  },
];

const exceptions: readonly Exception[] = [
  { path: "test/tidy/wording.test.ts", reason: "it names the forbidden words" },
  { path: "package-lock.json", reason: "npm writes it" },
  { path: "LICENSE", reason: "the text of the Apache Software Foundation" },
];

test("the text of the project refers only to the project", () => {
  assertNone(linesWith(phrases, without(projectFiles, exceptions)));
});

test("each rule about wording catches its example", () => {
  assertEachCatchesItsExample(phrases);
});
