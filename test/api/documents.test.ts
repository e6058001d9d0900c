import assert from "node:assert/strict";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { execChild } from "../scenario/spawn-child.ts";

const root = new URL("../../", import.meta.url).pathname;

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
      // A file of the project itself. test/ground/ runs it in a copy of the project.
      if (/^\/\/ (sdk|server)\//u.test(groups?.["code"] ?? "")) continue;
      found.push({ name: `${path} #${String(index + 1)}`, code: groups?.["code"] ?? "", output: groups?.["output"] });
    }
  }
  return found;
}

/** The examples run in the checkout, whose `.holdfast` may name a running server. No example needs a server. */
const noServer = "http://127.0.0.1:1";

interface WrittenExample extends Example {
  readonly file: string;
}

/** A block that starts with the name of a file is that file, so that the next block can use it. */
function fileOf({ code }: Example, index: number): string {
  return /^\/\/ ([a-z-]+\.ts)\n/u.exec(code)?.[1] ?? `example-${String(index)}.ts`;
}

/** Writes every example into the project, so that `import … from "holdfast"` resolves as in an application. */
async function withExamples(work: (all: readonly WrittenExample[], folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(root, ".tmp-example-"));
  try {
    const all = (await examples()).map((example, index) => ({
      ...example,
      file: join(folder, fileOf(example, index)),
    }));
    assert.ok(
      all.some(({ name }) => name.startsWith("README.md")),
      "the README has an example",
    );
    for (const { file, code } of all) await writeFile(file, code);
    await work(all, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The options of an application: `strict`, without the stricter checks that this project uses for itself. */
const compilerOptions: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
};

/** Errors in the examples. Errors elsewhere belong to `npm run types`, which checks the project with its own options. */
function typeErrors(all: readonly WrittenExample[]): readonly string[] {
  const program = ts.createProgram(
    all.map(({ file }) => file),
    compilerOptions,
  );
  return all.flatMap(({ name, file }) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText, start }) => {
      const line = program.getSourceFile(file)?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
      return `${name}, line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    }),
  );
}

test("every example in the documents runs and prints the output in the document", () =>
  withExamples(async (all, folder) => {
    for (const { name, file, output } of all) {
      const { stdout } = await execChild(process.execPath, [file], { cwd: folder, env: { HOLDFAST_URL: noServer } });
      assert.equal(stdout, output ?? "", name);
    }
  }));

test("every example in the documents compiles with the strict options of an application", () =>
  withExamples(async (all) => {
    assert.deepEqual(typeErrors(all), []);
  }));

test("the check of the examples finds a member that does not exist", () =>
  withExamples(async ([first]) => {
    assert.ok(first !== undefined);
    await writeFile(
      first.file,
      'import { open } from "holdfast";\nconst client = await open({ memory: true });\nclient.gone();\n',
    );
    assert.match(typeErrors([first]).join(), /line 3: Property 'gone' does not exist/u);
  }));
