import type { Setting, SettingValue } from "./settings.ts";

type ReadValue =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly expected: string };

const onTexts = new Set(["on", "true", "yes", "1"]);
const offTexts = new Set(["off", "false", "no", "0"]);

/** Reads a value from the text of an option or an environment variable. */
export function readTextValue(setting: Setting, text: string): ReadValue {
  switch (setting.kind) {
    case "text":
    case "choice":
    case "postgres":
      return readJsonValue(setting, text);
    case "number":
      return readJsonValue(setting, /^[0-9]{1,15}$/u.test(text) ? Number(text) : text);
    case "switch":
      return readJsonValue(
        setting,
        onTexts.has(text.toLowerCase()) ? true : offTexts.has(text.toLowerCase()) ? false : text,
      );
    case "list":
      return readJsonValue(setting, text === "" ? [] : text.split(",").map((item) => item.trim()));
  }
}

/** Reads a value from the JSON of the configuration file. */
export function readJsonValue(setting: Setting, value: unknown): ReadValue {
  return isValidValue(setting, value) ? { ok: true, value } : { ok: false, expected: expectedOf(setting) };
}

function isValidValue(setting: Setting, value: unknown): value is SettingValue {
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
      return Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
  }
}

function isWithin({ min = 0, max = Number.MAX_SAFE_INTEGER }: Setting, value: number): boolean {
  return value >= min && value <= max;
}

/** A value for an error message. A value that may contain a password is never shown. */
export function printableValue({ kind, isSecret }: Setting, value: unknown): string {
  return kind === "postgres" || isSecret === true ? "the given value" : JSON.stringify(value);
}

/** The valid values of a setting, as a phrase that follows "must be". */
export function expectedOf(setting: Setting): string {
  switch (setting.kind) {
    case "text":
      return "a non-empty string";
    case "choice":
      return (setting.choices ?? []).join(" or ");
    case "postgres":
      return "a URL like postgres://user@host:5432/database";
    case "number":
      return setting.max === undefined
        ? `an integer of at least ${setting.min ?? 0}`
        : `an integer from ${setting.min ?? 0} to ${setting.max}`;
    case "switch":
      return "on or off";
    case "list":
      return "a list separated by commas";
  }
}
