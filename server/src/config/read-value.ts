import type { Setting, SettingValue } from "./settings.ts";

export type ReadValue =
  { readonly ok: true; readonly value: SettingValue } | { readonly ok: false; readonly expected: string };

const on = new Set(["on", "true", "yes", "1"]);
const off = new Set(["off", "false", "no", "0"]);

/** A value as an option or a variable gives it: text. */
export function readText(setting: Setting, text: string): ReadValue {
  switch (setting.kind) {
    case "text":
    case "choice":
    case "postgres":
      return readJson(setting, text);
    case "number":
      return readJson(setting, /^[0-9]{1,15}$/u.test(text) ? Number(text) : text);
    case "switch":
      return readJson(setting, on.has(text.toLowerCase()) ? true : off.has(text.toLowerCase()) ? false : text);
    case "list":
      return readJson(setting, text === "" ? [] : text.split(",").map((word) => word.trim()));
  }
}

/** A value as the file gives it: JSON. */
export function readJson(setting: Setting, value: unknown): ReadValue {
  return isFit(setting, value) ? { ok: true, value } : { ok: false, expected: expectedOf(setting) };
}

function isFit(setting: Setting, value: unknown): value is SettingValue {
  switch (setting.kind) {
    case "text":
      return typeof value === "string" && value !== "";
    case "choice":
      return typeof value === "string" && setting.choices?.includes(value) === true;
    case "postgres":
      return typeof value === "string" && URL.canParse(value) && /^postgres(ql)?:$/u.test(new URL(value).protocol);
    case "number":
      return typeof value === "number" && Number.isSafeInteger(value) && isWithin(setting, value);
    case "switch":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && value.every((word) => typeof word === "string" && word !== "");
  }
}

function isWithin({ least = 0, most = Number.MAX_SAFE_INTEGER }: Setting, value: number): boolean {
  return value >= least && value <= most;
}

/** A value as a complaint about it shows it. What may hold a password is never shown. */
export function shownInFault({ kind, isSecret }: Setting, value: unknown): string {
  return kind === "postgres" || isSecret === true ? "what was given" : JSON.stringify(value);
}

/** What a setting takes, in words that follow "takes". */
export function expectedOf(setting: Setting): string {
  switch (setting.kind) {
    case "text":
      return "a text that is not empty";
    case "choice":
      return (setting.choices ?? []).join(" or ");
    case "postgres":
      return "an address like postgres://user@host:5432/database";
    case "number":
      return setting.most === undefined
        ? `a whole number from ${setting.least ?? 0} up`
        : `a whole number from ${setting.least ?? 0} to ${setting.most}`;
    case "switch":
      return "on or off";
    case "list":
      return "words between commas";
  }
}
