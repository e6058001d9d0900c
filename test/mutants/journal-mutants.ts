import type { PlantedMutant } from "./planted-mutant.ts";

const journal = "server/src/journal";

export const journalMutants: readonly PlantedMutant[] = [
  {
    name: "a batch is judged by the position of its predecessor alone",
    file: `${journal}/judge-append.ts`,
    find: "if (after.position === head.position && after.hash === head.hash) {",
    put: "if (after.position === head.position) {",
    by: "test/conformance/sqlite.test.ts",
  },
  {
    name: "a batch may be earlier than the one before it",
    file: `${journal}/judge-append.ts`,
    find: "if (time >= head.time) return;",
    put: "if (time >= 0) return;",
    by: "test/conformance/sqlite.test.ts",
  },
  {
    name: "the last use of a key counts, not the first",
    file: `${journal}/index-tail.ts`,
    find: "if (scope === undefined || keys.has(scope)) return;",
    put: "if (scope === undefined) return;",
    by: "test/conformance/sqlite.test.ts",
  },
  {
    name: "payloads are not compared with their hashes",
    file: `${journal}/unseal.ts`,
    find: "if (hashText(line) === header.payload) return",
    put: "if (hashText(line) !== header.salt) return",
    by: "test/conformance/sqlite-damage.test.ts",
  },
  {
    name: "headers are not compared with the hash of their batch",
    file: `${journal}/unseal.ts`,
    find: 'if (hashText([stored.previous, ...headers].join("\\n")) !== stored.hash) {',
    put: 'if (hashText([stored.previous, ...headers].join("\\n")) === stored.previous) {',
    by: "test/conformance/sqlite-damage.test.ts",
  },
  {
    name: "a missing batch is passed over",
    file: `${journal}/page.ts`,
    find: "if (stored.first !== last + 1) throw missing(last + 1);",
    put: "if (stored.first < last + 1) throw missing(last + 1);",
    by: "test/conformance/sqlite-damage.test.ts",
  },
  {
    name: "two processes have one folder",
    file: `${journal}/sqlite/own-folder.ts`,
    find: 'database.exec("BEGIN EXCLUSIVE");',
    put: 'database.exec("BEGIN");',
    by: "test/conformance/sqlite-processes.test.ts",
  },
  {
    name: "SQLite does not wait for the disk",
    file: `${journal}/sqlite/files.ts`,
    find: "prepareFile(database, file, fullSync);",
    put: "prepareFile(database, file, normalSync);",
    by: "test/conformance/sqlite-failures.test.ts",
  },
  {
    name: "after a failed COMMIT it is certain that nothing was written",
    file: `${journal}/sqlite/append.ts`,
    find: 'throw mapError(error, "journal.db", false);',
    put: 'throw mapError(error, "journal.db", true);',
    by: "test/conformance/sqlite-processes.test.ts",
  },
  {
    name: "what was appended is not in the index",
    file: `${journal}/sqlite/indexed-append.ts`,
    find: "    index.add(batch.entries, batch.head);\n    return true;",
    put: "    index.add([], batch.head);\n    return true;",
    by: "test/conformance/sqlite.test.ts",
  },
  {
    name: "an append whose connection was lost is taken for not written",
    file: `${journal}/postgres/append.ts`,
    find: "attempts === attemptsMax) throw mapError(error, { sent: true });",
    put: "attempts === attemptsMax) throw mapError(error, { sent: false });",
    by: "test/nodes/appender.test.ts",
  },
  {
    name: "a node appends to a server that it does not know",
    file: `${journal}/postgres/append.ts`,
    find: "if (isHeldBack()) return",
    put: "if (isHeldBack() && batch.entries.length === 0) return",
    by: "test/nodes/appender.test.ts",
  },
  {
    name: "a server without fsync is trusted",
    file: `${journal}/postgres/check-server.ts`,
    find: 'if (found.fsync !== "on" && !settings.acceptsForgetfulServer) {',
    put: 'if (found.fsync === "" && !settings.acceptsForgetfulServer) {',
    by: "test/nodes/servers.test.ts",
  },
];
