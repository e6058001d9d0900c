/** A schema as a table of its members, for the reference pages. */

/** As much of JSON Schema as the contract uses. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Maximum depth at which members of members are shown. */
const depthMax = 3;

export function fieldTable(given: object): string {
  const schema = given as Schema;
  const choices = schema.anyOf?.filter(isObject) ?? [];
  if (choices.length > 1) {
    return choices.map((choice, index) => `${index === 0 ? "Either" : "Or"}:\n\n${fieldTable(choice)}`).join("\n\n");
  }
  const fields = fieldsOf(schema, "", 0);
  if (fields.length === 0) return "Nothing.";
  const rows = fields.map(
    ({ name, type, isRequired, description }) =>
      `| \`${name}\` | ${type} | ${isRequired ? "yes" : ""} | ${description} |`,
  );
  return ["| member | type | always | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function fieldsOf(schema: Schema, prefix: string, depth: number): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const full = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const field = { name: full, type: typeText(member), isRequired, description: inTable(descriptionOf(member)) };
    const inner = innerOf(member, full);
    return inner === undefined || depth >= depthMax
      ? [field]
      : [field, ...fieldsOf(inner.schema, inner.prefix, depth + 1)];
  });
}

/** The schema inside a member: its own, that of its list, or that of its value unless it is null. */
function innerOf(member: Schema, name: string): { readonly schema: Schema; readonly prefix: string } | undefined {
  if (isObject(member)) return { schema: member, prefix: `${name}.` };
  const { items } = member;
  if (items !== undefined && !Array.isArray(items)) return innerOf(items as Schema, `${name}[]`);
  const objects = member.anyOf?.filter((choice) => isObject(choice) || choice.items !== undefined) ?? [];
  const [only] = objects;
  return objects.length === 1 && only !== undefined ? innerOf(only, name) : undefined;
}

function isObject(schema: Schema): boolean {
  return schema.properties !== undefined && Object.keys(schema.properties).length > 0;
}

function descriptionOf(schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  const { items, anyOf } = schema;
  if (items !== undefined && !Array.isArray(items)) return descriptionOf(items as Schema);
  return anyOf?.map(descriptionOf).find((text) => text !== "") ?? "";
}

function typeText(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (Array.isArray(schema.items)) return `list of ${schema.items.length}`;
  if (schema.type === "array")
    return `list of ${typeText((schema.items ?? {}) as Schema)}${bounds("up to", schema.maxItems)}`;
  if (schema.type === "integer" || schema.type === "number") return `${schema.type}${range(schema)}`;
  if (schema.type === "string") return `string${bounds("up to", schema.maxLength)}`;
  return schema.type ?? "any JSON value";
}

function range({ minimum, maximum }: Schema): string {
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum === undefined && to === undefined) return "";
  if (to === undefined) return ` from ${minimum ?? ""}`;
  return minimum === undefined ? ` up to ${to}` : ` from ${minimum} to ${to}`;
}

function bounds(words: string, max: number | undefined): string {
  return max === undefined ? "" : `, ${words} ${max}`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function inTable(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
