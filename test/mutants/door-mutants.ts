import type { PlantedMutant } from "./planted-mutant.ts";

export const doorMutants: readonly PlantedMutant[] = [
  {
    name: "any name leads to the server",
    file: "server/src/access/foreign-request.ts",
    find: "if (host === undefined || !allowed.has(host.toLowerCase())) {",
    put: "if (host === undefined) {",
    by: "test/access/foreign-request.test.ts",
  },
  {
    name: "pages of other sites are answered",
    file: "server/src/access/foreign-request.ts",
    find: "if (origin !== undefined && !isAllowedOrigin(only(origin), allowed)) {",
    put: 'if (origin === "" && !isAllowedOrigin(only(origin), allowed)) {',
    by: "test/access/foreign-request.test.ts",
  },
  {
    name: "a right to a path is one to all that starts like it",
    file: "sdk/src/contract/rights.ts",
    find: 'return prefix === "" || path === prefix || path.startsWith(`${prefix}/`);',
    put: "return path.startsWith(prefix);",
    by: "test/access/rights.test.ts",
  },
  {
    name: "the gate lets an input through that does not fit, since it is refused later anyway",
    file: "server/src/access/check-rights.ts",
    find: 'if (issues !== undefined) return { code: "input_invalid", data: { issues } };',
    put: "if (issues !== undefined) return undefined;",
    by: "test/access/odd-input.test.ts",
  },
  {
    name: "a revoked token is good as long as its connection",
    file: "server/src/access/standing.ts",
    find: "return () => tokenStanding(lookups, digest);",
    put: "const standing = tokenStanding(lookups, digest);\n  return () => standing;",
    by: "test/access/tokens.test.ts",
  },
  {
    name: "a token is good after its end",
    file: "server/src/access/standing.ts",
    find: "if (known === undefined || known.expiresAt <= lookups.now()) return",
    put: "if (known === undefined) return",
    by: "test/access/tokens.test.ts",
  },
  {
    name: "events are told to whoever listens",
    file: "server/src/access/visible-events.ts",
    find: "const visible = events.filter((event) => this.#isVisible(standing, event));",
    put: "const visible = events.filter((event) => this.#isVisible(standing, event) || true);",
    by: "test/access/sight.test.ts",
  },
  {
    name: "a weak tag is as good as a strong one",
    file: "server/src/doors/http/read-tags.ts",
    find: "if (weakTag.test(value)) {",
    put: 'if (weakTag.test(value) && value === "") {',
    by: "test/http/status-table.test.ts",
  },
  {
    name: "a write without a tag is done",
    file: "server/src/doors/http/conditional-write.ts",
    find: "      return withoutTag(transport, write);",
    put: "      return transport.call(operation, input, options);",
    by: "test/http/status-table.test.ts",
  },
  {
    name: "of a frame with a fault the messages before it are done",
    file: "server/src/doors/socket/read-frame.ts",
    find: "if (fault !== undefined) throw new FrameFault(`message ${index}: ${fault}`);",
    put: "if (fault !== undefined) return messages.slice(0, index) as readonly ClientMessage[];",
    by: "test/socket/protocol.test.ts",
  },
];
