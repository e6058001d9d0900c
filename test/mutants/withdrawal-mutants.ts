import type { PlantedMutant } from "./planted-mutant.ts";

const by = "test/locks/withdraw-request.test.ts";
const caughtIn = "npm test";

export const withdrawalMutants: readonly PlantedMutant[] = [
  {
    name: "a withdrawal releases a grant that another request shares",
    file: "server/src/features/locks/rules/withdraw-request.ts",
    find: "if (isSharedByMany(grant) || isUpgradedByAnother(",
    put: "if (grant.paths.length === 0 || isUpgradedByAnother(",
    by,
    caughtIn,
  },
  {
    name: "a withdrawal releases a grant that another request waits to upgrade",
    file: "server/src/features/locks/rules/withdraw-request.ts",
    find: "if (isSharedByMany(grant) || isUpgradedByAnother(context, grant, request)) return [];",
    put: "if (isSharedByMany(grant)) return [];",
    by,
    caughtIn,
  },
  {
    name: "a grant that its last request leaves belongs to no request",
    file: "server/src/features/locks/tables/requests.ts",
    find: "if (left.length > 0 || heirs === undefined)",
    put: "if (left.length >= 0 || heirs === undefined)",
    by,
    caughtIn,
  },
  {
    name: "a late copy of a withdrawn request is granted",
    file: "server/src/engine/decide-batch.ts",
    find: "return { command, prior: other ?? own };",
    put: "return { command, prior: own };",
    by,
    caughtIn,
  },
  {
    name: "the key of a withdrawal is not recorded",
    file: "server/src/engine/counterpart-scope.ts",
    find: "{ ...request, key: this.#ownKeyOf(request.input) }",
    put: "{ ...request, key: this.#ownKeyOf(null) }",
    by,
    caughtIn,
  },
  {
    name: "a request and its withdrawal are decided in one batch",
    file: "server/src/engine/decide-batch.ts",
    find: "if (isUsed(scopes, scope) || isUsed(scopes, counterpart)) {",
    put: "if (isUsed(scopes, scope)) {",
    by,
    caughtIn,
  },
  {
    name: "a withdrawal does not know that its request has arrived",
    file: "server/src/engine/decide-batch.ts",
    find: "own === undefined && other !== undefined ? withArrival(command, other) : command",
    put: "own === undefined && other === command ? withArrival(command, other) : command",
    by,
    caughtIn,
  },
  {
    name: "a request that joins a grant is not noted",
    file: "server/src/features/locks/rules/join-request.ts",
    find: "if (isJoined(row, command)) return;",
    put: "if (isJoined(row, command) || row.paths.length > 0) return;",
    by,
    caughtIn,
  },
  {
    name: "a granted ticket forgets its requests",
    file: "server/src/features/locks/tables/grant-folds.ts",
    find: "const shared = ticket === undefined ? undefined : state.rows(ticketTable).get(ticket);",
    put: 'const shared = ticket === "" ? state.rows(ticketTable).get(ticket) : undefined;',
    by,
    caughtIn,
  },
  {
    name: "a refused withdrawal uses up its key",
    file: "server/src/features/locks/rules/withdraw-request.ts",
    find: "if (taken !== undefined) return { ...taken, freesKey: true };",
    put: "if (taken !== undefined) return taken;",
    by,
    caughtIn,
  },
];
