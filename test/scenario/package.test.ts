/** Installs the packages as a user would, in a separate folder, and starts them. The test never loads the sources. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, suite, test } from "node:test";
import { encodePng } from "../workers/plain-png.ts";
import { downloadEnvironment } from "./child-environment.ts";
import { execChildSync, spawnChild } from "./spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "server", "package.json"), "utf8")) as { version: string };

/** This Node is first in the PATH, also for npm. */
const env = downloadEnvironment({ PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter) });

function run(folder: string, command: string, ...args: readonly string[]): string {
  return execChildSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: 180_000 });
}

function makeTarballs(folder: string): readonly string[] {
  run(root, process.execPath, join(root, "tools", "build.ts"), folder);
  run(folder, "npm", "pack", "--loglevel=error", "--ignore-scripts", "./sdk", "./server");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".tgz"))
    .map((file) => join(folder, file));
}

suite("the packages, installed", () => {
  const workFolder = join(root, ".tmp");
  mkdirSync(workFolder, { recursive: true });
  const built = mkdtempSync(join(workFolder, "package-"));
  const home = mkdtempSync(join(tmpdir(), "holdfast-package-"));

  before(() => {
    const tarballs = makeTarballs(built);
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "home", private: true, type: "module" }));
    run(home, "npm", "install", "--loglevel=error", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs);
  });

  after(() => {
    for (const folder of [built, home]) rmSync(folder, { recursive: true, force: true });
  });

  test("a program with the installed package reads its data after it opens the folder again", () => {
    const program = [
      'import { open } from "holdfast";',
      'import "@holdfast/sdk/contract";',
      'const note = { type: "note", id: "first" };',
      'const before = await open("./data");',
      'await before.run("create-entity", { ...note, value: { text: "kept" } });',
      "await before.close();",
      'const after = await open("./data");',
      'console.log(JSON.stringify(await after.run("get-entity", note)));',
      "await after.close();",
    ];
    writeFileSync(join(home, "program.js"), program.join("\n"));
    assert.match(run(home, process.execPath, "program.js"), /"text":"kept"/);
  });

  test("the installed command serves, and the installed client keeps its lock while its loop is blocked [M9]", async () => {
    const program = [
      'import { connect } from "holdfast";',
      "const client = await connect(process.argv[2]);",
      'const lock = await client.acquire("doc/1", { ttlMs: 2000 });',
      "const { expiresAt } = lock;",
      "// The first renewal proves that the renewing thread runs.",
      "const isRenewed = () => lock.expiresAt.getTime() > expiresAt.getTime() + 300;",
      "while (!isRenewed()) await new Promise((resolve) => setImmediate(resolve));",
      "const end = performance.now() + 4000;",
      "while (performance.now() < end);",
      "// Read before the event loop turns: only the thread can have updated it.",
      "console.log(lock.state);",
      "await client.close();",
    ];
    writeFileSync(join(home, "blocked.js"), program.join("\n"));
    await whileServing("served", (url) => {
      assert.equal(run(home, process.execPath, "blocked.js", url).trim(), "held");
    });
  });

  test("the installed command starts its worker, and that one the process that cuts tiles", async () => {
    const program = [
      'import { readFileSync } from "node:fs";',
      'import { connect } from "holdfast";',
      "const client = await connect(process.argv[2]);",
      'const map = { project: "p", map: "m" };',
      'await client.run("workspace.create-project", { project: "p", name: "House", lock: "take" });',
      'await client.run("workspace.create-map", { ...map, name: "Ground floor", lock: "take" });',
      'const publish = await client.files.publish("import/p/u1");',
      'await publish.write("plan.png", readFileSync("plan.png"));',
      "await publish.commit();",
      'const wanted = { ...map, upload: "u1", path: "plan.png", tiles: true };',
      'const { job } = await client.run("workspace.import-floorplan", wanted);',
      "const { state, result } = await client.jobs.wait(job);",
      "console.log(state, result.tiles);",
      "await client.close();",
    ];
    writeFileSync(join(home, "tiles.js"), program.join("\n"));
    const [width, height] = [300, 200];
    const pixels = new Uint8Array(width * height * 3).fill(9);
    writeFileSync(join(home, "plan.png"), encodePng({ width, height, channels: 3, pixels }));
    await whileServing("workspace", (url) => {
      assert.equal(run(home, process.execPath, "tiles.js", url).trim(), "completed 3");
    });
  });

  /** Runs the installed server on a folder of its own. */
  async function whileServing(folder: string, work: (url: string) => void): Promise<void> {
    const served = join(home, folder);
    mkdirSync(served, { mode: 0o700 });
    const server = spawnChild("npx", ["--no-install", "holdfast", "up", "--json", "--port", "0", "--data", served], {
      ...{ cwd: home, env, stdio: ["ignore", "pipe", "inherit"] },
      detached: true,
    });
    try {
      const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
      work((JSON.parse(line) as { readonly url: string }).url);
    } finally {
      // The server is a child of npx, and the two form their own process group.
      process.kill(-server.pid!, "SIGTERM");
      await once(server, "close");
    }
  }

  test("the installed command prints its version", () => {
    assert.match(run(home, "npx", "--no-install", "holdfast", "--version"), new RegExp(version.replaceAll(".", "\\.")));
  });

  test("the packages hold JavaScript with its types, the licence, and no sources", () => {
    for (const name of ["holdfast", "@holdfast/sdk"]) {
      const folder = join(home, "node_modules", name);
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      assert.deepEqual(
        files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts")),
        [],
      );
      for (const file of ["LICENSE", "index.js", "index.d.ts"]) assert.ok(files.includes(file), `${name}/${file}`);
    }
  });
});
