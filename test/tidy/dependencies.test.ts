import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder, projectFiles } from "./tree.ts";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifests = projectFiles
  .filter(({ path }) => /^([a-z-]+\/)?package\.json$/.test(path))
  .map(({ path, text }) => ({ path, manifest: JSON.parse(text) as Manifest }));

const dependencies = manifests.flatMap(({ path, manifest }) =>
  Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
    .filter(([name]) => !name.startsWith("@holdfast/"))
    .map(([name, range]) => ({ path, name, range })),
);

test("every dependency has its reason in docs/decisions", () => {
  const decisions = filesUnder("docs/decisions", ".md").map(({ text }) => text);
  const unexplained = dependencies.filter(({ name }) => !decisions.some((text) => text.includes(`\`${name}\``)));
  assertNone(unexplained.map(({ path, name }) => `${path}: ${name}; say in one line why it is worth having`));
});

test("every dependency is pinned to one exact version", () => {
  assert.ok(dependencies.length > 0);
  assertNone(dependencies.filter(({ range }) => !/^\d/.test(range)).map(({ name, range }) => `${name}: ${range}`));
});
