/**
 * The description of the API for people: one page, made from the same data as /openapi.json, without external
 * resources.
 */
import { hash } from "node:crypto";
import type { OpenApiObject } from "./openapi-parts.ts";

const style = `
:root { color-scheme: light dark; --line: rgb(128 128 128 / 27%); --soft: rgb(128 128 128 / 13%); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; }
h1 { margin: 0; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); text-transform: capitalize; }
nav a { margin-right: 1rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary code { font-weight: 600; }
code, pre { font: 14px/1.4 ui-monospace, monospace; } pre { background: var(--soft); padding: .6rem; overflow: auto; }
table { border-collapse: collapse; width: 100%; } td, th { border-top: 1px solid var(--line); padding: .3rem; text-align: left; vertical-align: top; }
`;

/** No script, no image, no font: only the style of this page, by its hash. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

interface DescribedRoute {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiObject;
}

export function apiPage(document: OpenApiObject): string {
  const { title, version, description } = document["info"] as Readonly<Record<string, string>>;
  const groups = Map.groupBy(
    describedIn(document),
    ({ operation }) => (operation["tags"] as readonly string[])[0] ?? "",
  );
  const links = [...groups.keys()].map((name) => `<a href="#${escaped(name)}">${escaped(name)}</a>`).join("");
  const parts = [...groups].map(
    ([name, list]) =>
      `<h2 id="${escaped(name)}">${escaped(name)}</h2>${list.map((route) => section(document, route)).join("")}`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title ?? "")} API</title><style>${style}</style></head><body>
<h1>${escaped(title ?? "")} API</h1><p>${escaped(description ?? "")} Version ${escaped(version ?? "")}; for programs:
<a href="/openapi.json">/openapi.json</a>.</p>
<p>Every error is <code>application/problem+json</code> with a <code>code</code>, what to do <code>next</code>, and
<code>retry</code>: what a program may do by itself.</p><nav>${links}</nav>${parts.join("")}</body></html>`;
}

function describedIn(document: OpenApiObject): readonly DescribedRoute[] {
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function section(document: OpenApiObject, { path, method, operation }: DescribedRoute): string {
  const summary = htmlText(String(operation["summary"]));
  return `<details><summary><code>${method} ${escaped(path)}</code><br>${summary}</summary>
${parameterTable(document, operation)}${bodyPart(operation)}${responseTable(operation)}</details>`;
}

function parameterTable(document: OpenApiObject, operation: OpenApiObject): string {
  const shared = (document["components"] as { readonly parameters: Readonly<Record<string, OpenApiObject>> })
    .parameters;
  const list = ((operation["parameters"] ?? []) as readonly OpenApiObject[]).map((parameter) => {
    const reference = parameter["$ref"];
    return typeof reference === "string" ? (shared[reference.split("/").at(-1) ?? ""] ?? parameter) : parameter;
  });
  if (list.length === 0) return "";
  const rows = list.map((parameter) => {
    const { description = (parameter["schema"] as OpenApiObject | undefined)?.["description"] } = parameter;
    const name = `<code>${escaped(String(parameter["name"]))}</code>${parameter["required"] === true ? "" : " (optional)"}`;
    return `<tr><td>${name}</td><td>${escaped(String(parameter["in"]))}</td><td>${htmlText(textOf(description))}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

function bodyPart(operation: OpenApiObject): string {
  const body = operation["requestBody"] as { readonly content: Readonly<Record<string, OpenApiObject>> } | undefined;
  if (body === undefined) return "";
  return Object.entries(body.content)
    .map(([type, { example, schema }]) => {
      const shown = escaped(JSON.stringify(example ?? {}, null, 2));
      const all = escaped(JSON.stringify(schema, null, 2));
      return `<p><code>${escaped(type)}</code></p><pre>${shown}</pre><details><summary>schema</summary><pre>${all}</pre></details>`;
    })
    .join("");
}

function responseTable(operation: OpenApiObject): string {
  const rows = Object.entries(operation["responses"] as Readonly<Record<string, OpenApiObject>>).map(
    ([status, response]) => `<tr><th>${escaped(status)}</th><td>${htmlText(textOf(response["description"]))}</td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Converts text to HTML. Text between backquotes is code. */
function htmlText(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/gu, "<code>$1</code>");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character);
}
