import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { clientDataFiles } from "../../tools/make-client-data.ts";

const sdk = join(import.meta.dirname, "..", "..", "sdk");

/** The files of a bundle for a browser, by entry: what a page downloads first, and what it downloads on first use. */
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
  return {
    inputs,
    outputs: metafile.outputs,
    weightOf,
    outputOf,
    sizeOf: (file: string) => sizes.get(join(sdk, file)) ?? 0,
  };
}

test("the core entry weighs at most 30 kB for a browser, and each part of a pack at most 8 kB, without a schema library", async (context) => {
  const { inputs, weightOf, outputOf, sizeOf } = await bundled({ index: "src/index.ts" });
  const schemas = inputs.filter((input) => input.includes("typebox"));
  assert.deepEqual(schemas, []);
  const core = weightOf("out/index.js");
  const data = sizeOf(outputOf("src/client/data/planning-data.ts"));
  const planning = sizeOf(outputOf("src/client/packs/planning-client.ts"));
  const intents =
    sizeOf(outputOf("src/client/intents/intents-client.ts")) + sizeOf(outputOf("src/client/data/intents-data.ts"));
  assert.ok(intents <= 8_000, `the pack intents weighs ${intents} bytes`);
  const jobs = sizeOf(outputOf("src/client/jobs/jobs-client.ts")) + sizeOf(outputOf("src/client/data/jobs-data.ts"));
  assert.ok(jobs <= 8_000, `the pack jobs weighs ${jobs} bytes`);
  context.diagnostic(`jobs ${jobs} bytes, gzip`);
  const files =
    sizeOf(outputOf("src/client/files/files-client.ts")) + sizeOf(outputOf("src/client/data/files-data.ts"));
  assert.ok(files <= 8_000, `the pack files weighs ${files} bytes`);
  context.diagnostic(`files ${files} bytes, gzip`);
  const programs =
    sizeOf(outputOf("src/client/programs/programs-client.ts")) + sizeOf(outputOf("src/client/data/programs-data.ts"));
  assert.ok(programs <= 8_000, `the pack programs weighs ${programs} bytes`);
  assert.notEqual(outputOf("src/client/programs/programs-client.ts"), "out/index.js");
  context.diagnostic(`intents ${intents} bytes, programs ${programs} bytes, gzip`);
  context.diagnostic(`core ${core} bytes, planning ${planning + data} bytes, gzip`);
  assert.ok(core <= 30_000, `the core entry weighs ${core} bytes`);
  assert.ok(planning + data <= 8_000, `the pack planning weighs ${planning + data} bytes`);
  assert.notEqual(outputOf("src/client/packs/planning-client.ts"), "out/index.js");
  assert.notEqual(outputOf("src/client/data/planning-data.ts"), "out/index.js");
});

test("the data of the client matches the contract", () => {
  for (const [path, text] of clientDataFiles()) {
    assert.ok(readFileSync(path, "utf8") === text, `${path} is not up to date: run node tools/make-client-data.ts`);
  }
});
