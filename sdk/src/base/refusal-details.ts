/**
 * The data of a refusal that belongs into its sentence, so that a text never names a member which its reader cannot see.
 * The command line, the client and the HTTP door use the same sentence. All other data stays separate. The members are
 * those of the wire or of the client.
 */
export function refusalDetails(data: Readonly<Record<string, unknown>>): readonly string[] {
  const { reason, pointer, issues, needs, path, holders, nearest, changes, target } = data;
  const { cycle_text, cycleText: cycle = cycle_text, projects } = data;
  const { time_zone, timeZone: zone = time_zone } = data;
  return [
    ...entityParts(data),
    ...(typeof target === "string" ? [target] : []),
    ...(typeof reason === "string" ? [reason] : []),
    ...(typeof cycle === "string" ? [cycle] : []),
    ...(typeof zone === "string" ? [zone] : []),
    ...(typeof pointer === "string" && pointer !== "" ? [`at "${pointer}"`] : []),
    ...(Array.isArray(issues) ? issues.map((issue) => issueText(issue as IssueData)) : []),
    ...(typeof needs === "string"
      ? [`needs: the right to ${needs}${typeof path === "string" ? ` at ${path}` : ""}`]
      : []),
    ...listed("holders", holders, (holder) => holderText(holder as HolderData)),
    ...listed("projects", projects, String),
    ...listed("similar", nearest, String),
    ...listed("changes", changes, (change) => changeText(change as ChangeData)),
  ];
}

/** Maximum items of a list in a sentence. */
const itemsMax = 3;

function listed(name: string, items: unknown, textOf: (item: unknown) => string): readonly string[] {
  if (!Array.isArray(items) || items.length === 0) return [];
  const more = items.length > itemsMax ? ` and ${items.length - itemsMax} more` : "";
  return [`${name}: ${items.slice(0, itemsMax).map(textOf).join(", ")}${more}`];
}

function entityParts(data: Readonly<Record<string, unknown>>): readonly string[] {
  const { kind, type = kind, id, state, expected_version, current_version } = data;
  const { expectedVersion: expected = expected_version, currentVersion: current = current_version } = data;
  return [
    ...(typeof id === "string" ? [typeof type === "string" ? `${type}/${id}` : id] : []),
    ...(typeof state === "string" ? [`state: ${state}`] : []),
    ...(typeof expected === "number" && typeof current === "number"
      ? [`expected version ${expected}, current version ${current}`]
      : []),
  ];
}

interface IssueData {
  readonly pointer: string;
  readonly message: string;
}

function issueText({ pointer, message }: IssueData): string {
  return pointer === "" ? message : `${pointer} ${message}`;
}

interface HolderData {
  readonly owner_id?: unknown;
  readonly ownerId?: unknown;
  readonly name?: unknown;
  readonly path?: unknown;
  readonly purpose?: unknown;
  readonly until?: unknown;
}

function holderText({ owner_id, ownerId: owner = owner_id, name, path, purpose, until }: HolderData): string {
  const who = typeof name === "string" ? name : String(owner);
  const why = typeof purpose === "string" ? ` for "${purpose}"` : "";
  return `${who} holds ${String(path)}${why} until ${String(until)}`;
}

interface ChangeData {
  readonly pointer?: unknown;
  readonly version?: unknown;
}

function changeText({ pointer, version }: ChangeData): string {
  const place = pointer === "" ? "the whole value" : String(pointer);
  return typeof version === "number" ? `${place} in version ${version}` : place;
}
