/** Commands about files that only Holdfast sends. */
import Type from "typebox";
import { internalOperation } from "../../operation.ts";
import { fileTarget, nodeUrl, publishId, storageRoot, versionNumber } from "./file-version.ts";

const closed = { additionalProperties: false } as const;
const nothing = Type.Object({}, closed);
const text = Type.String({ minLength: 1, maxLength: 256 });

const announce = internalOperation({
  name: "files.announce",
  summary: "A node has a storage root. Every publish of the session before ends.",
  input: Type.Object(
    { root: storageRoot, root_id: text, session: text, node: text, url: Type.Optional(nodeUrl) },
    closed,
  ),
  output: nothing,
  problems: ["files.root_mismatch"],
});

const fail = internalOperation({
  name: "files.fail",
  summary: "Ends a publish whose files could not be written.",
  input: Type.Object({ id: publishId, code: text, reason: text, degrades: Type.Boolean() }, closed),
  output: nothing,
  problems: ["not_due"],
});

const expire = internalOperation({
  name: "files.expire",
  summary: "Ends an expired publish.",
  input: Type.Object({ id: publishId }, closed),
  output: nothing,
  problems: ["not_due"],
});

const collect = internalOperation({
  name: "files.collect",
  summary: "Removes a superseded version whose retention time has passed and that no reader has pinned.",
  input: Type.Object({ target: fileTarget, version: versionNumber, at: Type.Integer() }, closed),
  output: nothing,
  problems: ["not_due"],
});

const removed = internalOperation({
  name: "files.removed",
  summary: "The folders of publishes and versions were removed from the disk.",
  input: Type.Object({ ids: Type.Array(publishId, { minItems: 1, maxItems: 1_000 }) }, closed),
  output: nothing,
  problems: ["not_due"],
});

export const filesInternals = {
  "files.announce": announce,
  "files.fail": fail,
  "files.expire": expire,
  "files.collect": collect,
  "files.removed": removed,
} as const;
