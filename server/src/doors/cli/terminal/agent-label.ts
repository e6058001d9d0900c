import { escapeControlChars } from "./escape-control-chars.ts";

/** The ids that the server makes. Another owner chose its id itself, so that is its name. */
const serverMade = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** `ann (28a0)`: the name of an agent, and four characters of its id, because names may repeat. */
export function agentLabel(id: string, name?: string | null): string {
  if (!serverMade.test(id)) return escapeControlChars(id);
  const shown =
    name === undefined || name === null || name === "" ? "an agent without a name" : escapeControlChars(name);
  return `${shown} (${id.slice(0, 4)})`;
}

/** The ids in a text that the server made. */
export function idsIn(text: string): readonly string[] {
  return text.match(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu) ?? [];
}

/** Whether an id needs a name to be readable. */
export function needsName(id: string): boolean {
  return serverMade.test(id);
}
