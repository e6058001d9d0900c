import Type from "typebox";

/** The members from which the operations on entities are built. Each schema refuses unknown members. */
export const entityType = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,63}$",
  description: "The type of the entity: lower case, digits, `-` and `_`, up to 64 characters.",
});

export const entityId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  description: "The id of the entity within its type: 1 to 256 characters, no control characters.",
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
  description: "Number of changes of the entity; 0 means that it does not exist.",
});

export const revision = Type.String({
  pattern: "^[1-9][0-9]{0,14}\\.[1-9][0-9]{0,14}$",
  description: "The opaque token of a version, as a read or a write returned it.",
});

const unchangedField = Type.Union([
  pointer,
  Type.Object({ pointer, value: Type.Optional(value) }, { additionalProperties: false }),
]);

/** The fence of the lock that protects a write. It is checked in the entry of the write. */
export const writeFence = Type.Optional(
  Type.String({
    pattern: "^[1-9][0-9]{0,14}\\.[1-9][0-9]{0,14}(\\.[1-9][0-9]{0,4})?$",
    description: "The fence of a live write lock on the path `type/id`, or on the tree above it.",
  }),
);

/** The conditions of a write. All are optional. */
export const conditions = {
  fence: writeFence,
  expected_version: Type.Optional(version),
  expected_revision: Type.Optional(revision),
  if_unchanged: Type.Optional(
    Type.Array(unchangedField, {
      minItems: 1,
      maxItems: 100,
      description:
        "Narrows the version check to these fields. A pointer: the field is unchanged since the expected version or " +
        "revision. `{pointer, value}`: the field has that value, or is absent without `value`.",
    }),
  ),
};

export const limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: "Maximum items of the page; 100 if absent.",
});
