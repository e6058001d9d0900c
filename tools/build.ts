/**
 * Makes the packages as they are published. Usage: `node tools/build.ts [folder]`. Without a folder each package is
 * built into its own `dist`. Node runs no TypeScript inside node_modules, so what is published is JavaScript with
 * declarations. The folder must lie inside the repository. From elsewhere tsc would not find the installed packages,
 * and would silently give them the type `any`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/** In the order in which they need each other. */
const packages = ["sdk", "server"] as const;
type Package = (typeof packages)[number];

const outOf = (name: Package, folder: string | undefined): string =>
  folder === undefined ? join(root, name, "dist") : join(resolve(folder), name);

function fail(reason: string): never {
  console.error(`Nothing to publish: ${reason}.`);
  process.exit(1);
}

function compile(name: Package, out: string, sdkOut: string): void {
  const settings = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      rootDir: join(root, name, "src"),
      outDir: out,
      declaration: true,
      // For the sdk's own files for Node; sdk/tsconfig.browser.json proves that nothing else needs them.
      types: ["node"],
      lib: ["es2024", "esnext.disposable", ...(name === "sdk" ? ["dom", "dom.iterable"] : [])],
      // The server is compiled against the built sdk; against its sources, tsc would build these a second time.
      ...(name === "server" && { paths: declarationsOf(sdkOut) }),
    },
    include: [join(root, name, "src")],
  };
  const config = join(out, "tsconfig.json");
  writeFileSync(config, JSON.stringify(settings));
  const { status } = spawnSync(process.execPath, [tsc, "-p", config], { stdio: "inherit" });
  rmSync(config);
  if (status !== 0) fail(`${name} does not compile; see above`);
}

/** Where the declarations are of each module that the built sdk exports. */
function declarationsOf(sdkOut: string): Readonly<Record<string, readonly string[]>> {
  const manifest = readFileSync(join(sdkOut, "package.json"), "utf8");
  const { name, exports } = JSON.parse(manifest) as { name: string; exports: Readonly<Record<string, string>> };
  return Object.fromEntries(
    Object.entries(exports).map(([subpath, file]) => [
      join(name, subpath),
      [join(sdkOut, file.replace(/\.js$/u, ".d.ts"))],
    ]),
  );
}

/** Everything that tsc leaves behind: .sql files, the launcher, the licence and the README. */
function copyRest(name: Package, out: string): void {
  const source = join(root, name, "src");
  cpSync(source, out, { recursive: true, filter: (file) => extname(file) !== ".ts" });
  if (existsSync(join(root, name, "bin"))) cpSync(join(root, name, "bin"), join(out, "bin"), { recursive: true });
  cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
  const readme = [join(root, name, "README.md"), join(root, "README.md")].find((file) => existsSync(file));
  if (readme !== undefined) cpSync(readme, join(out, "README.md"));
}

/** Sources are private, so that they are never published by mistake. The built packages are not private. */
function writeManifest(name: Package, out: string): void {
  const source = readFileSync(join(root, name, "package.json"), "utf8");
  const built = source.replace(/"\.\/src\/([^"]+)\.ts"/g, '"./$1.js"');
  const manifest = JSON.parse(built) as { private?: boolean };
  delete manifest.private;
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function build(folder: string | undefined): void {
  if (folder !== undefined && relative(root, resolve(folder)).startsWith("..")) fail(`${folder} is outside ${root}`);
  for (const name of packages) {
    const out = outOf(name, folder);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    compile(name, out, outOf("sdk", folder));
    copyRest(name, out);
    writeManifest(name, out);
    console.log(`built ${name} in ${out}`);
  }
}

build(process.argv[2]);
