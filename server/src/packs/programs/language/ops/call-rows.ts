import { type GraphNode, textAttribute } from "../node.ts";
import { enclosed } from "../layout.ts";
import { allocate, leave, LimitExceeded } from "../run/frame.ts";
import { optionalOf, textType, type Type, unitType } from "../types.ts";
import { levels, type OpRow, type TypeContext } from "./op-row.ts";

function callType(check: TypeContext, node: GraphNode): Type {
  const id = textAttribute(node, 0);
  const signature = check.signature(id);
  const arguments_ = (): void => {
    for (const input of node.inputs) check.infer(input);
  };
  if (signature === undefined) {
    arguments_();
    return check.report(node, { code: "type.not_callable", message: `There is no function ${id}` });
  }
  if (!signature.public && signature.module !== check.module)
    check.report(node, { code: "type.private", message: `${signature.name} is not pub in its module`, because: id });
  if (signature.io && !check.isIo)
    check.report(node, {
      code: check.isCondition ? "condition.impure" : "type.effect",
      message: `${signature.name} is io, so only an io function can call it`,
      because: id,
    });
  const { parameters, result } = signature;
  if (parameters.length !== node.inputs.length) {
    arguments_();
    check.report(node, {
      code: "type.arity",
      message: `${signature.name} has ${parameters.length} parameters, not ${node.inputs.length}`,
      expected: String(parameters.length),
      found: String(node.inputs.length),
      because: id,
    });
    return result;
  }
  for (const [port, { type }] of parameters.entries()) check.expect(node, port, type);
  return result;
}

function outsideEffect(check: TypeContext, node: GraphNode): void {
  if (check.isIo) return;
  const message = `${node.op} needs an io function`;
  check.report(node, { code: check.isCondition ? "condition.impure" : "type.effect", message });
}

export const callRows = {
  call: {
    attributes: ["function"],
    inputs: [0, 32],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.postfix,
      print: (print, node) =>
        enclosed(`${print.functionName(textAttribute(node, 0))}(`, node.inputs.map(print.inner), ")"),
    },
    type: callType,
    run: (compile, node) => {
      const inputs = node.inputs.map((input) => compile.code(input));
      const call = compile.call(textAttribute(node, 0), node);
      return (frame) =>
        call(
          frame,
          inputs.map((input) => input(frame)),
        );
    },
  },
  print: {
    attributes: [],
    inputs: [1, 1],
    regions: [],
    place: "value",
    text: { form: "call", name: "print" },
    type: (check, node) => {
      outsideEffect(check, node);
      check.expect(node, 0, textType);
      return unitType;
    },
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      return (frame) => {
        const text = value(frame) as string;
        const { execution } = frame;
        execution.outputLength += text.length + 1;
        if (execution.outputLength > execution.limits.output) leave(new LimitExceeded("output"));
        execution.output.push(text);
        return null;
      };
    },
  },
  read_line: {
    attributes: [],
    inputs: [0, 0],
    regions: [],
    place: "value",
    text: { form: "call", name: "read_line" },
    type: (check, node) => {
      outsideEffect(check, node);
      return optionalOf(textType);
    },
    run: () => (frame) => {
      const { execution } = frame;
      const line = execution.console[execution.consoleAt];
      if (line === undefined) return { variant: "none", payload: null };
      execution.consoleAt += 1;
      allocate(frame, line.length);
      return { variant: "some", payload: line };
    },
  },
} satisfies Readonly<Record<string, OpRow>>;
