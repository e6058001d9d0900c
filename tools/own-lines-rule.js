// An ESLint rule for test files: no function is longer than `max` lines. Calls of node:test inside a function, with the
// functions that they get, do not count as its lines. So a suite may hold any number of tests, bounded by the length of
// the file. Each test, hook and piece of set-up stays small.
// `promise` and `promiseOnEveryStore` are those of test/api/with-client.ts.
const testCalls = new Set(["test", "it", "describe", "suite", "promise", "promiseOnEveryStore"]);

function calleeName(call) {
  const callee = call.callee.type === "MemberExpression" ? call.callee.object : call.callee;
  return callee.type === "Identifier" ? callee.name : undefined;
}

const linesOf = (node) => node.loc.end.line - node.loc.start.line + 1;

export const ownLines = {
  meta: {
    type: "suggestion",
    schema: [{ type: "object", properties: { max: { type: "integer" } }, additionalProperties: false }],
    messages: { tooLong: "This function has {{lines}} lines of its own. Maximum allowed is {{max}}." },
  },
  create(context) {
    const max = context.options[0]?.max ?? 70;
    // One number per function or test call around the current place: the lines that do not count.
    const discounts = [];

    const enter = () => discounts.push(0);
    const leaveFunction = (node) => {
      const lines = linesOf(node) - discounts.pop();
      if (lines > max) context.report({ node, messageId: "tooLong", data: { lines, max } });
    };
    const leaveCall = (node) => {
      if (!testCalls.has(calleeName(node)) || discounts.length === 0) return;
      discounts[discounts.length - 1] += linesOf(node);
    };
    return { ":function": enter, ":function:exit": leaveFunction, "CallExpression:exit": leaveCall };
  },
};
