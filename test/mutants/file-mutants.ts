import type { PlantedMutant } from "./planted-mutant.ts";

export const fileMutants: readonly PlantedMutant[] = [
  {
    name: "a recorded archive file may have any name",
    file: "server/src/journal/sqlite/archive/segment-row.ts",
    find: "if (named?.first !== first || named.last !== last || first < 1 || first > last) {",
    put: "if (named?.first === undefined && first < 1) {",
    by: "test/scenario/hostile-folder.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "symbolic links in a data folder are followed",
    file: "server/src/journal/sqlite/folder/require-plain-files.ts",
    find: "if (entry.isSymbolicLink() ||",
    put: "if (entry.isBlockDevice() ||",
    by: "test/scenario/hostile-folder.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "a database from elsewhere may have triggers",
    file: "server/src/journal/sqlite/folder/require-schema.ts",
    find: "if (extra === undefined && absent === undefined) return;",
    put: "if (absent === undefined) return;",
    by: "test/scenario/hostile-folder.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "a database is created with the rights of the umask",
    file: "server/src/journal/sqlite/folder/open-database.ts",
    find: 'closeSync(openSync(file, "wx", 0o600));',
    put: 'closeSync(openSync(file, "wx"));',
    by: "test/scenario/private-files.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "an open data folder keeps its rights",
    file: "server/src/base/keep-private.ts",
    find: "chmodSync(path, target.mode & 0o700);",
    put: "chmodSync(path, target.mode & 0o777);",
    by: "test/scenario/private-files.test.ts",
    caughtIn: "npm test",
  },
  {
    name: "an imported journal keeps its tokens",
    file: "server/src/features/tokens/tokens.ts",
    find: 'if (data["tokens_revoked"] !== true) return [];',
    put: 'if (data["tokens_revoked"] !== false) return [];',
    by: "test/scenario/imported-tokens.test.ts",
    caughtIn: "npm test",
  },
];
