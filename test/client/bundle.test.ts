import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { packs } from "@holdfast/sdk/contract";
import { clientDataFiles } from "../../tools/make-client-data.ts";

const sdk = join(import.meta.dirname, "..", "..", "sdk");

/** The files of a bundle for a browser. A weight counts a file and its static imports, without those that were seen. */
async function bundled(entries: Readonly<Record<string, string>>) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: sdk,
    entryPoints: entries,
    outdir: "out",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    minify: true,
    write: false,
    metafile: true,
  });
  const sizes = new Map(outputFiles.map(({ path, contents }) => [path, gzipSync(contents).length]));
  const inputs = Object.keys(metafile.inputs);
  const weightOf = (file: string, seen = new Set<string>()): number => {
    if (seen.has(file)) return 0;
    seen.add(file);
    const own = sizes.get(join(sdk, file)) ?? 0;
    const statically = (metafile.outputs[file]?.imports ?? []).filter(({ kind }) => kind === "import-statement");
    return statically.reduce((sum, { path }) => sum + weightOf(path, seen), own);
  };
  const outputOf = (input: string): string => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.inputs[input] !== undefined);
    assert.ok(found, input);
    return found[0];
  };
  return { inputs, weightOf, outputOf };
}

/** The entry of the client of each pack. */
const packClients: Readonly<Record<string, string>> = {
  planning: "src/client/packs/planning-client.ts",
  intents: "src/client/intents/intents-client.ts",
  programs: "src/client/programs/programs-client.ts",
  jobs: "src/client/jobs/jobs-client.ts",
  files: "src/client/files/files-client.ts",
  workspace: "src/client/workspace/workspace-client.ts",
};

test("the core entry weighs at most 30 kB for a browser, and each pack at most 8 kB, without a schema library", async (context) => {
  const { inputs, weightOf, outputOf } = await bundled({ index: "src/index.ts" });
  const schemas = inputs.filter((input) => input.includes("typebox"));
  assert.deepEqual(schemas, []);
  const loaded = new Set<string>();
  const core = weightOf("out/index.js", loaded);
  context.diagnostic(`core ${core} bytes, gzip`);
  assert.ok(core <= 30_000, `the core entry weighs ${core} bytes`);
  assert.deepEqual(Object.keys(packClients).sort(), packs.map(({ name }) => name).sort());
  for (const [pack, client] of Object.entries(packClients)) {
    // A page that has the core downloads these on the first use of the pack, with every file that they share.
    const parts = [client, `src/client/data/${pack}-data.ts`].map(outputOf);
    assert.ok(!parts.includes("out/index.js"), `the pack ${pack} is a part of the core`);
    const seen = new Set(loaded);
    const weight = parts.reduce((sum, part) => sum + weightOf(part, seen), 0);
    context.diagnostic(`${pack} ${weight} bytes, gzip`);
    assert.ok(weight > 0 && weight <= 8_000, `the pack ${pack} weighs ${weight} bytes`);
  }
});

test("the data of the client matches the contract", () => {
  for (const [path, text] of clientDataFiles()) {
    assert.ok(readFileSync(path, "utf8") === text, `${path} is not up to date: run node tools/make-client-data.ts`);
  }
});
