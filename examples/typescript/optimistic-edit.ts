/**
 * Ten writers add a line to one document at the same time, without a lock. `update` reads the document, applies the change
 * and writes it with the revision that it read. On a conflict it reads the newer version and tries again.
 *
 * Start a server with `npm start`, then: `npx node examples/typescript/optimistic-edit.ts`
 */
import { connect } from "holdfast";

interface Minutes {
  readonly lines: readonly string[];
}

await using holdfast = await connect();
const minutes = holdfast.entities<Minutes>("minutes");
const writers = Array.from({ length: 10 }, (_, number) => `line of writer ${number}`);

await Promise.all(
  writers.map((line) =>
    minutes.update("monday", ({ lines }) => ({ lines: [...lines, line] }), { initial: { lines: [] }, tries: 20 }),
  ),
);

const { version, value } = await minutes.get("monday");
console.log(`version ${version} has ${value.lines.length} lines`);
