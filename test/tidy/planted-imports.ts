/** A small project in which every import is forbidden, and for each file the rules that must catch it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Planted {
  readonly file: string;
  readonly imports: readonly string[];
  readonly rules: readonly string[];
}

export const planted: readonly Planted[] = [
  { file: "sdk/src/index.ts", imports: ["node:fs"], rules: ["sdk-uses-no-node-module"] },
  {
    file: "sdk/src/contract/index.ts",
    imports: ["../../../server/src/base/ids.ts", "../client/client.ts", "leftpad"],
    rules: [
      "sdk-knows-nothing-of-the-server",
      "contract-knows-json",
      "sdk-depends-on-typebox-alone",
      "no-undeclared-packages",
    ],
  },
  { file: "sdk/src/client/client.ts", imports: [], rules: [] },
  { file: "sdk/src/json/parse-json.ts", imports: ["../client/client.ts"], rules: ["json-knows-nothing"] },
  { file: "sdk/src/base/pause.ts", imports: ["../client/client.ts"], rules: ["sdk-base-knows-nothing"] },
  { file: "server/src/base/ids.ts", imports: ["../engine/engine.ts"], rules: ["base-knows-nothing"] },
  {
    file: "server/src/machine/machine.ts",
    imports: ["../base/ids.ts", "sorted-btree", "node:crypto"],
    rules: ["machine-knows-json", "only-tables-use-sorted-btree", "pure-folders-use-no-node-module"],
  },
  {
    file: "server/src/features/locks.ts",
    imports: ["../packs/planning.ts"],
    rules: ["features-know-machine-and-contract"],
  },
  { file: "server/src/storage/disk.ts", imports: ["../engine/engine.ts"], rules: ["storage-knows-base"] },
  {
    file: "server/src/checks/check-runner.ts",
    imports: ["../engine/engine.ts"],
    rules: ["checks-know-the-machine-and-features"],
  },
  {
    file: "server/src/services/service.ts",
    imports: ["../access/gate.ts"],
    rules: ["services-know-the-engine"],
  },
  { file: "server/src/operations/call.ts", imports: ["../base/ids.ts"], rules: ["operations-know-the-sdk"] },
  {
    file: "server/src/packs/planning.ts",
    imports: ["../engine/engine.ts"],
    rules: ["packs-know-features-machine-and-contract"],
  },
  {
    file: "server/src/engine/engine.ts",
    imports: ["../journal/memory/memory.ts", "../journal/codec.ts"],
    rules: ["engine-knows-machine-and-journal-port", "only-assembly-names-journals-and-doors"],
  },
  {
    file: "server/src/journal/codec.ts",
    imports: ["../features/locks.ts"],
    rules: ["journal-knows-machine-and-base"],
  },
  {
    file: "server/src/journal/memory/memory.ts",
    imports: ["../sqlite/sqlite.ts", "node:sqlite", "pg"],
    rules: [
      "journals-and-doors-do-not-know-each-other",
      "only-sqlite-journal-uses-node-sqlite",
      "only-postgres-journal-uses-postgres",
    ],
  },
  { file: "server/src/journal/sqlite/sqlite.ts", imports: ["./gone.ts"], rules: ["no-unresolvable-imports"] },
  {
    file: "server/src/doors/socket/socket.ts",
    imports: ["../../engine/engine.ts", "fastify", "@nats-io/nats-core"],
    rules: ["doors-know-the-sdk", "only-http-door-uses-fastify", "only-nats-door-uses-nats"],
  },
  {
    file: "server/src/app/transport.ts",
    imports: ["../journal/codec.ts", "rbush"],
    rules: ["app-knows-the-engine", "only-sketch-boxes-use-rbush"],
  },
  {
    file: "server/src/doors/cli/main.ts",
    imports: ["../../engine/engine.ts"],
    rules: ["cli-knows-the-sdk-and-the-assembly"],
  },
  {
    file: "server/src/access/gate.ts",
    imports: ["../engine/engine.ts", "ws", "prom-client"],
    rules: ["access-knows-the-sdk", "only-socket-door-uses-ws", "only-observe-uses-prom-client-and-pino"],
  },
  { file: "server/src/config/settings.ts", imports: ["../access/gate.ts"], rules: ["config-knows-base-and-contract"] },
  { file: "server/src/observe/figures.ts", imports: ["../engine/engine.ts"], rules: ["observe-knows-the-sdk"] },
  { file: "server/src/observe/log.ts", imports: ["./trace.ts"], rules: ["no-cycles"] },
  // A cycle is reported once, at the first of its files.
  { file: "server/src/observe/trace.ts", imports: ["./log.ts"], rules: [] },
  { file: "server/src/observe/figures.ts", imports: ["../engine/engine.ts"], rules: ["observe-knows-the-sdk"] },
  {
    file: "server/src/access/rights.ts",
    imports: ["../engine/engine.ts", "prom-client", "ws"],
    rules: ["access-knows-the-sdk", "only-observe-uses-prom-client-and-pino", "only-socket-door-uses-ws"],
  },
  {
    file: "server/src/config/settings.ts",
    imports: ["../engine/engine.ts"],
    rules: ["config-knows-base-and-contract"],
  },
  {
    file: "server/src/workers/run-workers.ts",
    imports: ["../engine/engine.ts", "sharp"],
    rules: ["workers-know-the-sdk", "only-workers-use-sharp"],
  },
];

/** The rule about unreachable files. Its finding names the file that no module imports. */
export const unreachable: Planted = {
  file: "server/src/config/lonely.ts",
  imports: [],
  rules: ["no-unreachable-files"],
};

export function plant(folder: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const { file, imports } of [...planted, unreachable]) {
    write(file, ["export {};", ...imports.map((name) => `import "${name}";`), ""].join("\n"));
  }
  write("package.json", JSON.stringify({ name: "planted", devDependencies: { leftpad: "1.0.0" } }));
  write("tsconfig.json", "{}");
  write("node_modules/leftpad/package.json", JSON.stringify({ name: "leftpad", version: "1.0.0", main: "index.js" }));
  write("node_modules/leftpad/index.js", "");
}
