/** The types of the operations of intents, by the name after the dot. */
import type { intentRunOperations } from "../../contract/packs/intents/intent-run-operations.ts";
import type { intent } from "../../contract/packs/intents/intent.ts";
import type { intentsOperations } from "../../contract/packs/intents/intents-operations.ts";
import type { ShownResource } from "../../contract/packs/resource.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";
import type { ClientForm } from "../data/client-form.ts";
import type { Changed } from "./resource-client.ts";

/** An intent as the client shows it. */
export type Intent = ClientForm<ShownResource<typeof intent>>;
export type ChangedIntent = Changed<typeof intent>;

type Definitions = (typeof intentsOperations)[number] | (typeof intentRunOperations)[number];
type ShortName<Name> = Name extends `intents.${infer Short}` ? Short : never;

/** The operations whose reply is the whole intent. */
type IntentReply = "create" | "update" | "transition" | "run" | "advance";

export type IntentOperations = {
  [Definition in Definitions as ShortName<Definition["name"]>]: {
    readonly input: InputOfOperation<Definition>;
    readonly output: ShortName<Definition["name"]> extends IntentReply
      ? ChangedIntent
      : ShortName<Definition["name"]> extends "get"
        ? Intent
        : OutputOfOperation<Definition>;
  };
};
