import type { JsonObject } from "@holdfast/sdk/json/json";

/** A refusal by a kind. Its code becomes `<type>.<code>`, or starts with the name of its pack. */
export class KindRefusal {
  readonly code: string;
  readonly data: JsonObject;
  readonly isAudited: boolean;

  constructor(code: string, data: JsonObject, isAudited: boolean) {
    this.code = code;
    this.data = data;
    this.isAudited = isAudited;
  }
}

/** Refuses a change with a code of the kind and data for the caller. `audited` records it in the audit trail. */
export function refuse(
  code: string,
  data: JsonObject = {},
  { audited = false }: { readonly audited?: boolean } = {},
): KindRefusal {
  return new KindRefusal(code, data, audited);
}
