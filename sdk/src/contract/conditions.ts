import Type from "typebox";

/** The parts from which the entities' operations are built. Every field refuses what it does not know. */
export const entityType = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,63}$",
  description: "The type of the entity: lower case, digits, `-` and `_`, up to 64 characters.",
});

export const entityId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "The id of the entity within its type: 1 to 256 characters, none of them a control character.",
});

export const value = Type.Unknown({ description: "Any JSON value." });

export const pointer = Type.String({
  maxLength: 1024,
  pattern: "^(/([^~/]|~[01])*)*$",
  description: "A JSON Pointer (RFC 6901).",
});

export const version = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "How often the entity changed; 0 is an entity that does not exist.",
});

export const revision = Type.String({
  pattern: "^[1-9][0-9]{0,14}\\.[1-9][0-9]{0,14}$",
  description: "The opaque token of a version, as a read or a write returned it.",
});

export const unchangedField = Type.Union([
  pointer,
  Type.Object({ pointer, value: Type.Optional(value) }, { additionalProperties: false }),
]);

/** The fence of the lock under which a write is made; it is checked in the entry of the write. */
export const writeFence = Type.Optional(
  Type.String({
    pattern: "^[1-9][0-9]{0,14}\\.[1-9][0-9]{0,14}(\\.[1-9][0-9]{0,4})?$",
    description: "The fence of a live write lock on the path `type/id`, or on the tree above it.",
  }),
);

/** What must hold for a write to be done. None of them is required. */
export const conditions = {
  fence: writeFence,
  expected_version: Type.Optional(version),
  expected_revision: Type.Optional(revision),
  if_unchanged: Type.Optional(
    Type.Array(unchangedField, {
      minItems: 1,
      maxItems: 100,
      description:
        "Narrows the check to these fields: as pointers they must be what they were at the expected version or " +
        "revision, as `{pointer, value}` they must have that value (without `value`: be absent).",
    }),
  ),
};

export const limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: "At most so many items; 100 if not given.",
});
