// Imports point one way. The folders are layers, and this file defines what each layer may import.
const source = "^server/src/";
const under = (...folders) => `^server/src/(${folders.join("|")})`;
const contract = "^sdk/src/contract/";
const json = "^sdk/src/json/";
const sdkBase = "^sdk/src/base/";

/** Files that no file imports, because a program, a test run or a thread starts there. */
const entryPoints = [
  "^sdk/src/(contract/)?index\\.ts$",
  // A browser gets these instead of the file of the same name with `.node.ts`: see "imports" in sdk/package.json.
  "^sdk/src/.*\\.browser\\.ts$",
  "^server/src/index\\.ts$",
  "^server/src/doors/cli/main\\.ts$",
  // Started as threads, by URL, which is not an import.
  "^(server|sdk)/src/.*[/-]worker(\\.node)?\\.ts$",
  "^(test|bench|tools)/",
];

/** A layer may import itself and what `knows` names. Everything else of the project is out of bounds. */
const layer = ({ name, folder, except, knows, comment }) => ({
  name,
  comment,
  severity: "error",
  from: { path: folder, ...(except && { pathNot: except }) },
  to: { path: ["^(server|sdk|test|bench|tools)/"], pathNot: [folder, ...knows] },
});

/** A library, or a part of Node, that only one folder may import. */
const only = ({ name, library, where, comment }) => ({
  name,
  comment,
  severity: "error",
  from: { path: "^(server|sdk)/src/", pathNot: where },
  to: { path: library.flatMap((one) => [`^${one}(/|$)`, `node_modules/${one}/`]) },
});

const layers = [
  {
    name: "json-knows-nothing",
    folder: json,
    knows: [],
    comment: "Canonical JSON is shared by client and server, which must produce the same bytes.",
  },
  {
    name: "sdk-base-knows-nothing",
    folder: sdkBase,
    knows: [],
    comment: "Mechanisms that client and server share: one copy of each.",
  },
  {
    name: "machine-knows-json",
    folder: under("machine/"),
    knows: [json],
    comment: "The machine can be replayed only if nothing outside can change its result.",
  },
  {
    name: "features-know-machine-and-contract",
    folder: under("features/"),
    knows: [under("machine/"), contract, json, sdkBase],
    comment: "A feature is pure and general: it knows no pack, no engine and no door.",
  },
  {
    name: "packs-know-features-machine-and-contract",
    folder: under("packs/"),
    knows: [under("machine/", "features/"), contract, json, sdkBase],
    comment: "A pack is built on features. Adding one touches nothing else.",
  },
  {
    name: "engine-knows-machine-and-journal-port",
    folder: under("engine/"),
    knows: [under("machine/", "base/", "journal/(journal|seal|unseal|checkpoint)\\.ts$"), contract, json, sdkBase],
    comment: "The engine runs any machine on any journal.",
  },
  {
    name: "journal-knows-machine-and-base",
    folder: under("journal/"),
    knows: [under("machine/", "base/"), json],
    comment: "A journal orders and keeps entries; it never decides.",
  },
  {
    name: "base-knows-nothing",
    folder: under("base/"),
    knows: [],
    comment: "Clock, ids and secrets are below everything.",
  },
  {
    name: "operations-know-the-sdk",
    folder: under("operations/"),
    knows: ["^sdk/src/"],
    comment: "Records of operations and calls, which every layer between a door and the engine shares.",
  },
  {
    name: "checks-know-the-machine-and-features",
    folder: under("checks/"),
    knows: [under("machine/", "features/", "base/"), contract, json, sdkBase],
    comment: "Checks run outside the machine on copies of its rows. They know no engine: it is a source of rows.",
  },
  {
    name: "access-knows-the-sdk",
    folder: under("access/"),
    knows: ["^sdk/src/", under("base/", "observe/", "operations/")],
    comment: "Rights and limits are in front of the application layer, and know nothing of what is behind it.",
  },
  {
    name: "observe-knows-the-sdk",
    folder: under("observe/"),
    knows: ["^sdk/src/", under("base/", "operations/")],
    comment: "Metrics and logs receive what happens; they never call back.",
  },
  {
    name: "config-knows-base-and-contract",
    folder: under("config/"),
    knows: [under("base/"), contract, sdkBase],
    comment: "Configuration is read once, at the start, and passed down.",
  },
  {
    name: "storage-knows-base",
    folder: under("storage/"),
    knows: [under("base/"), sdkBase],
    comment: "The disks of storage roots. The machine decides which folder is a version.",
  },
  {
    name: "workers-know-the-sdk",
    folder: under("workers/"),
    knows: ["^sdk/src/", under("base/")],
    comment: "A worker is a client. It may run on another host, so it knows nothing of the server.",
  },
  {
    name: "app-knows-the-engine",
    folder: under("app/"),
    knows: [
      "^sdk/src/",
      under("base/", "operations/", "engine/", "machine/", "features/", "packs/", "checks/", "storage/"),
      under("journal/journal\\.ts$"),
    ],
    comment: "The application layer turns the engine into the transport that every door uses.",
  },
  {
    name: "services-know-the-engine",
    folder: under("services/"),
    knows: [
      contract,
      json,
      sdkBase,
      under("base/", "operations/", "engine/", "features/", "packs/", "storage/"),
      under("journal/journal\\.ts$", "app/engine-services\\.ts$"),
    ],
    comment: "A service sends commands or follows the journal. Only the assembly knows which services there are.",
  },
  {
    name: "doors-know-the-sdk",
    folder: under("doors/"),
    except: under("doors/cli/"),
    knows: ["^sdk/src/", under("base/", "operations/", "access/", "observe/")],
    comment: "A door uses the calls that the gate returns, so every promise holds through all of them.",
  },
  {
    name: "cli-knows-the-sdk-and-the-assembly",
    folder: under("doors/cli/"),
    knows: ["^sdk/src/", under("base/", "config/", "assembly/", "workers/run-workers\\.ts$")],
    comment: "`holdfast up` starts the server; other commands are clients of it, or work on its data folder.",
  },
  {
    name: "sdk-knows-nothing-of-the-server",
    folder: "^sdk/src/",
    knows: [],
    comment: "The sdk is installed without the server and runs in a browser.",
  },
  {
    name: "contract-knows-json",
    folder: contract,
    knows: [json, sdkBase],
    comment: "The contract is data. The client and the server are built from it, never the reverse.",
  },
];

const libraries = [
  { name: "only-sqlite-journal-uses-node-sqlite", library: ["node:sqlite"], where: under("journal/sqlite/") },
  { name: "only-postgres-journal-uses-postgres", library: ["pg", "postgres"], where: under("journal/postgres/") },
  { name: "only-nats-door-uses-nats", library: ["nats", "@nats-io/[^/]+"], where: under("doors/nats/") },
  { name: "only-http-door-uses-fastify", library: ["fastify", "@fastify/[^/]+"], where: under("doors/http/") },
  { name: "only-socket-door-uses-ws", library: ["ws"], where: under("doors/socket/") },
  { name: "only-observe-uses-prom-client-and-pino", library: ["prom-client", "pino"], where: under("observe/") },
  { name: "only-workers-use-sharp", library: ["sharp"], where: under("workers/workspace/tile-worker\\.ts$") },
  { name: "only-sketch-boxes-use-rbush", library: ["rbush"], where: under("app/packs/workspace/sketch-boxes\\.ts$") },
  { name: "only-tables-use-sorted-btree", library: ["sorted-btree"], where: under("machine/table[^/]*\\.ts$") },
].map((rule) => ({
  ...rule,
  comment: "One folder uses the library, so one folder changes when the library is updated or replaced.",
}));

export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Files that import each other can only be understood together.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unreachable-files",
      comment: "Nothing reaches this file from an entry point: use it or delete it.",
      severity: "error",
      from: { path: entryPoints },
      to: { path: "^(sdk|server)/src/", pathNot: entryPoints, reachable: false },
    },
    {
      name: "no-unresolvable-imports",
      comment: "This does not exist, or is not installed.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-undeclared-packages",
      comment: "A published package declares what it imports, and not as a development dependency.",
      severity: "error",
      from: { path: "^(sdk|server)/src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "node_modules/@types/" },
    },
    ...layers.map(layer),
    ...libraries.map(only),
    {
      name: "pure-folders-use-no-node-module",
      comment: "Canonical JSON, the machine, its features and the packs are pure.",
      severity: "error",
      from: { path: [json, under("machine/", "features/", "packs/")] },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "sdk-uses-no-node-module",
      comment: "The sdk also runs in a browser; it never loads the files that are named for Node.",
      severity: "error",
      from: { path: "^sdk/src/", pathNot: "\\.node\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "sdk-depends-on-typebox-alone",
      comment: "Installing the sdk installs a schema library and nothing else.",
      severity: "error",
      from: { path: "^sdk/src/" },
      to: { path: "node_modules/", pathNot: "node_modules/typebox/" },
    },
    {
      name: "only-assembly-names-journals-and-doors",
      comment: "Parts are connected only in the assembly.",
      severity: "error",
      from: {
        path: source,
        pathNot: [under("assembly/"), under("(journal|doors)/[^/]+/")],
      },
      to: { path: under("(journal|doors)/[^/]+/") },
    },
    {
      name: "journals-and-doors-do-not-know-each-other",
      comment: "Shared code is in the folder above them, not in one of them.",
      severity: "error",
      from: { path: "^server/src/((?:journal|doors)/[^/]+)/" },
      to: { path: under("(journal|doors)/[^/]+/"), pathNot: "^server/src/$1/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["(^|/)dist/", "^\\.tmp/"] },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      conditionNames: ["node", "import", "types", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".js"],
    },
  },
};
