/**
 * Writes the reference pages from the contract: `node tools/make-reference.ts`. A tidy test compares them, so that what
 * is documented is what is checked.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  allOperations,
  eventTypes,
  noticeTypes,
  packs,
  problems,
  publishedName,
  routedOperations,
} from "@holdfast/sdk/contract";
import type { Operation, Pack, Problem } from "@holdfast/sdk/contract";
import Type from "typebox";
import { commandsPage, configurationPage } from "./cli-reference.ts";
import { limitsPage } from "./limits-reference.ts";
import { formatText } from "./format-text.ts";
import { fieldTable } from "./reference-fields.ts";
import { rulesReference } from "./rules-reference.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/reference");
const made = "This page is made from the contract by `tools/make-reference.ts`; do not edit it.";

/** Every page, by its path, as it must be. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const pages = {
    operations: operationsPage(),
    ...Object.fromEntries(packs.map((pack) => [pack.name, packPage(pack)])),
    problems: problemsPage(),
    events: eventsPage(),
    notices: noticesPage(),
    cli: await commandsPage(),
    configuration: configurationPage(),
    limits: limitsPage(made),
  };
  const formatted = Object.entries(pages).map(async ([name, text]) => {
    const path = join(folder, `${name}.md`);
    return [path, await formatText(path, text)] as const;
  });
  return new Map(await Promise.all(formatted));
}

function operationsPage(): string {
  const all = Object.values<Operation>(allOperations);
  const open = all.filter(({ kind }) => kind !== "internal");
  const internal = all.filter(({ kind }) => kind === "internal");
  return [
    "# Operations",
    made,
    "Every door offers these operations under these names. A `write` becomes a command, and may become an entry of the " +
      "journal. A `read` shows the durable state. Any operation may also be refused with the problems of every call: see " +
      "[problems](problems.md).",
    ...open.map(operationSection),
    "## Packs",
    packs.map(({ name, summary }) => `- [\`${name}\`](${name}.md): ${summary}`).join("\n"),
    "## Internal operations",
    "Only Holdfast itself sends these. They are found in the journal.",
    internal.map(({ name, summary }) => `- \`${name}\`: ${summary}`).join("\n"),
  ].join("\n\n");
}

function packPage({ name, summary, operations }: Pack): string {
  return [
    `# Operations of the pack ${name}`,
    made,
    `${summary} Besides the listed problems, any of them may be refused with those of the pack, which start ` +
      `with \`${name}.\`, and with those of [every call](problems.md).`,
    ...(name === "workspace" ? rulesReference() : []),
    ...Object.values(operations).map(operationSection),
  ].join("\n\n");
}

function operationSection({ name, kind, summary, input, output, problems: codes }: Operation): string {
  const ways = routedOperations.filter(({ operation }) => operation.name === name);
  const over = ways.map(({ route: { method, path } }) => `\`${method} ${path}\``).join(", ");
  const refused = codes.map((code) => `[\`${code}\`](problems.md#${code.replaceAll(".", "")})`).join(", ");
  return [
    `## ${name}`,
    summary,
    [
      `- Kind: ${kind}`,
      ...(over === "" ? [] : [`- HTTP: ${over}`]),
      ...(refused === "" ? [] : [`- Refused with: ${refused}`]),
    ].join("\n"),
    "Input:",
    fieldTable(input),
    "Output:",
    fieldTable(output),
  ].join("\n\n");
}

const retries: Readonly<Record<Problem["retry"], string>> = {
  never: "The same request will fail the same way.",
  "new-key-after-read": "Read again, decide again, and send a new request, with a new key.",
  "same-key": "Send the same request again, with the same key.",
  later: "Send the same request again, after `retry_after_ms`.",
};

function problemsPage(): string {
  const entries = Object.entries<Problem>(problems);
  return [
    "# Problems",
    made,
    "Programs compare the code. `retry` says what a client may do by itself:",
    Object.entries(retries)
      .map(([retry, words]) => `- \`${retry}\`: ${words}`)
      .join("\n"),
    ...entries.map(([code, { status, retry, title, next }]) =>
      [`## ${code}`, `${title}.`, next, `HTTP status ${status}, retry \`${retry}\`.`].join("\n\n"),
    ),
  ].join("\n\n");
}

function eventsPage(): string {
  return [
    "# Events",
    made,
    "The events that entries hold and `watch` sends. An event about an entity is published under the entity's own type. So " +
      "`entity.created` of the type `plan` is `evt.plan.created`. Kinds may give their changes verbs of their own. The fold " +
      "of an event type never changes; a new meaning is a new type. Readers ignore members that they do not know.",
    ...[...eventTypes].map(([type, { summary, data }]) =>
      [`## ${type}`, summary, `Published as \`${publishedAs(type)}\`.`, fieldTable(data)].join("\n\n"),
    ),
  ].join("\n\n");
}

function noticesPage(): string {
  return [
    "# Notices",
    made,
    "Messages to a listening owner that are not entries of the journal. `GET /v1/notices`, a `listen` message of the socket " +
      "and `client.notices` send them. Each has its word in `notice`, its owner in `owner_id`, and its `paths`. A newer " +
      "notice with the same word and key replaces an older one that is not sent yet. Listening starts with the current " +
      "notices. A listener with more than 10,000 unread notices gets the current ones when it reads. A notice is visible to its owner, and to callers that have one of its verbs on each of its paths.",
    ...[...noticeTypes].map(([word, { summary, members, key, verbs = ["read"] }]) =>
      [
        `## ${word}`,
        summary,
        `Key \`${key}\`, verbs ${verbs.map((verb) => `\`${verb}\``).join(", ")}.`,
        fieldTable(Type.Object(members)),
      ].join("\n\n"),
    ),
  ].join("\n\n");
}

function publishedAs(type: string): string {
  return publishedName({ type, subject: "TYPE/ID", data: {} });
}

if (import.meta.main) {
  for (const [path, text] of await referencePages()) writeFileSync(path, text);
}
