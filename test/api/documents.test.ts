import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = new URL("../../", import.meta.url).pathname;
const run = promisify(execFile);

interface Example {
  readonly name: string;
  readonly code: string;
  readonly output: string | undefined;
}

/** Every block of TypeScript in a document, with the block of output that follows it. */
async function examples(): Promise<readonly Example[]> {
  const found: Example[] = [];
  for await (const path of glob(["*.md", "docs/**/*.md"], { cwd: root })) {
    const text = await readFile(join(root, path), "utf8");
    const blocks = text.matchAll(/```ts\n(?<code>[^]*?)```\n(?:\n```text\n(?<output>[^]*?)```)?/gu);
    for (const [index, { groups }] of [...blocks].entries()) {
      found.push({ name: `${path} #${String(index + 1)}`, code: groups?.["code"] ?? "", output: groups?.["output"] });
    }
  }
  return found;
}

test("every example in the documents runs, and prints what the document says", async () => {
  const all = await examples();
  assert.ok(
    all.some(({ name }) => name.startsWith("README.md")),
    "the README has an example",
  );
  // Inside the project, so that `import … from "holdfast"` is found as it would be in an application.
  const folder = await mkdtemp(join(root, ".tmp-example-"));
  try {
    for (const { name, code, output } of all) {
      const file = join(folder, "example.ts");
      await writeFile(file, code);
      const { stdout } = await run(process.execPath, [file], { cwd: folder });
      assert.equal(stdout, output ?? "", name);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
