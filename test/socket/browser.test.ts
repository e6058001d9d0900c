import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const sdk = join(import.meta.dirname, "..", "..", "sdk");
const { imports } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as {
  readonly imports: Readonly<Record<string, { readonly default: string }>>;
};

/** Collects every file that a browser loads and every package that it imports, as a bundler does. */
function reached(file: string, seen: Set<string>, packages: Set<string>): void {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(file, "utf8").replaceAll(/^(import|export) type .*?;$/gmsu, "");
  for (const [, wanted = ""] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$/gmu)) {
    const own = imports[wanted]?.default;
    if (own !== undefined) reached(join(sdk, own), seen, packages);
    else if (wanted.startsWith(".")) reached(join(dirname(file), wanted), seen, packages);
    else packages.add(wanted);
  }
}

test("the SDK loads in a browser, because no file of its browser entry imports a Node module or a package", () => {
  const [seen, packages] = [new Set<string>(), new Set<string>()];
  reached(join(sdk, "src", "index.ts"), seen, packages);
  const files = [...seen].map((file) => relative(sdk, file));
  assert.ok(files.includes("src/client/transport/socket-transport.ts"));
  assert.ok(files.includes("src/client/environment/environment.browser.ts"));
  assert.deepEqual(
    files.filter((file) => file.endsWith(".node.ts")),
    [],
  );
  assert.deepEqual([...new Set([...packages].map((name) => name.split("/")[0]))], []);
});
