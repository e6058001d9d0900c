// The house rules that a machine can check. A rule that is switched off or relaxed has its reason next to it.
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { ownLines } from "./tools/own-lines-rule.js";

const pureFolders = [
  "sdk/src/json/**/*.ts",
  "server/src/machine/**/*.ts",
  "server/src/features/**/*.ts",
  "server/src/packs/**/*.ts",
];
const sourceFolders = ["server/src/**/*.ts", "sdk/src/**/*.ts"];
const testFolders = ["test/**/*.ts", "bench/**/*.ts"];
const configFiles = ["eslint.config.js", ".dependency-cruiser.js", "tools/test-tally.ts"];

/** Sources that may read the clock, start timers and make ids themselves. All others receive them as arguments. */
const clockOwners = [
  // It implements the real Clock and Ids: the only source of time and randomness.
  "server/src/base/**/*.ts",
  // The same for the client, which imports nothing of the server.
  "sdk/src/client/client-clock.ts",
];

const noDefaultExport = {
  selector: "ExportDefaultDeclaration",
  message: "Export by name: a name that can be searched for is the same everywhere.",
};
const optionMessage = "Write defined({ name }). It leaves out every member that is undefined.";
const noSpelledOptions = [
  {
    selector:
      "ConditionalExpression[test.operator='==='][test.left.type='Identifier'][test.right.type='Identifier'][test.right.name='undefined'][consequent.properties.length=0] > ObjectExpression.alternate[properties.length=1] > Property[shorthand=true]",
    message: optionMessage,
  },
  {
    selector:
      "SpreadElement > LogicalExpression[operator='&&'][left.operator='!=='][left.right.type='Identifier'][left.right.name='undefined'] > ObjectExpression.right[properties.length=1] > Property[shorthand=true]",
    message: optionMessage,
  },
];
/** In sources also with other conditions and members. A test may add a member at random. */
const noConditionalSpreads = [
  ...noSpelledOptions,
  { selector: "SpreadElement > ConditionalExpression > ObjectExpression[properties.length=0]", message: optionMessage },
  { selector: "SpreadElement > LogicalExpression > ObjectExpression", message: optionMessage },
];
const given = "Time, ids and randomness come in as arguments (Clock, Ids); only server/src/base makes them.";
const pure = "The machine is pure: the same history must come out the same on every host and on every day.";

const clockGlobals = ["setTimeout", "setInterval", "setImmediate", "performance"];
const clockProperties = [
  { object: "Date", property: "now", message: given },
  { object: "Math", property: "random", message: given },
  { object: "performance", property: "now", message: given },
  { object: "AbortSignal", property: "timeout", message: given },
  { object: "crypto", property: "randomUUID", message: given },
  { object: "crypto", property: "getRandomValues", message: given },
  ...clockGlobals.map((property) => ({ object: "globalThis", property, message: given })),
];
const clockSyntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: given },
  { selector: "CallExpression[callee.name='Date']", message: given },
];
const clockImports = {
  paths: [
    { name: "node:crypto", importNames: ["randomUUID", "randomBytes", "randomInt"], message: given },
    ...["node:timers", "node:timers/promises", "node:perf_hooks"].map((name) => ({ name, message: given })),
  ],
};

const impureGlobals = ["process", "crypto", "Intl", "Promise", "queueMicrotask", "fetch", "console", "globalThis"];
const pureSyntax = [
  { selector: ":function[async=true]", message: `${pure} Nothing in it waits: waiting is state.` },
  { selector: "AwaitExpression, ForOfStatement[await=true]", message: `${pure} Nothing in it waits.` },
  { selector: "TSTypeReference > Identifier[name='Promise']", message: `${pure} Nothing in it waits.` },
  {
    // The one use of Date that depends on its argument alone.
    selector:
      "Identifier[name='Date']:not(MemberExpression[property.name='toISOString'] > NewExpression[arguments.length=1] > Identifier)",
    message: `${pure} Times are numbers; only new Date(ms).toISOString() is the same everywhere.`,
  },
  { selector: "MemberExpression[property.name=/^toLocale|^localeCompare$/]", message: `${pure} Locales differ.` },
];
const pureImports = { patterns: [{ regex: "^node:", message: pure }] };

const ban = (globals, message) => globals.map((name) => ({ name, message }));

export default defineConfig(
  { ignores: ["**/dist/", "**/node_modules/", ".tmp/", ".holdfast/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },

  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // node:test tracks these promises itself, so awaiting them in a file's body changes nothing.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["test", "suite", "describe", "it"] },
          ],
        },
      ],
      // A name that starts with _ is an argument that an interface requires and this implementation does not use.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // Numbers print the same everywhere, and positions and times are in nearly every message.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `() => counter.inc()` as a callback is clear enough without braces.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // `while (true)` with a return inside is the plain form of a loop that ends in its middle.
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      // Brackets on a record say that the key is data and may be absent; dots are for declared properties.
      "@typescript-eslint/dot-notation": ["error", { allowIndexSignaturePropertyAccess: true }],
      // Off: an in-memory implementation of an asynchronous port awaits nothing, and `async` turns what it throws into a
      // rejection, as the port promises.
      "@typescript-eslint/require-await": "off",
      // Off: it asks for the `!` that no-non-null-assertion forbids.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // Off: a type parameter that is used once still names a relation in a table of operations.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
    },
  },

  {
    files: ["**/*.{js,ts}"],
    rules: {
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 70],
      complexity: ["error", 15],
      eqeqeq: "error",
      "prefer-const": "error",
      "no-restricted-syntax": ["error", noDefaultExport, ...noSpelledOptions],
    },
  },

  {
    files: sourceFolders,
    ignores: clockOwners,
    rules: {
      "no-restricted-globals": ["error", ...ban(clockGlobals, given)],
      "no-restricted-properties": ["error", ...clockProperties],
      "no-restricted-syntax": ["error", noDefaultExport, ...noConditionalSpreads, ...clockSyntax],
      "no-restricted-imports": ["error", clockImports],
    },
  },

  {
    files: pureFolders,
    rules: {
      "no-restricted-globals": ["error", ...ban([...clockGlobals, ...impureGlobals], pure)],
      "no-restricted-syntax": ["error", noDefaultExport, ...noConditionalSpreads, ...pureSyntax],
      "no-restricted-imports": ["error", pureImports],
    },
  },

  {
    files: testFolders,
    plugins: { holdfast: { rules: { "own-lines": ownLines } } },
    rules: {
      // Replaced by own-lines: a suite is a function that holds many tests, and may be long.
      "max-lines-per-function": "off",
      "holdfast/own-lines": ["error", { max: 70 }],
      // Off: a value that is missing against expectation fails the test at that line, which is the purpose of a test.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Off: a listener that does nothing is a valid test double.
      "@typescript-eslint/no-empty-function": "off",
    },
  },

  // Tools that read a default export ask for one.
  { files: configFiles, rules: { "no-restricted-syntax": "off" } },
);
