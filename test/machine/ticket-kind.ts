import { defineKind, refuse } from "holdfast";
import Type from "typebox";

/** A kind with a schema, a rule and a command, as an application would define it. */
export const ticketKind = defineKind({
  type: "ticket",
  value: Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      status: Type.Enum(["open", "closed"]),
      reason: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  rule: (next, previous) =>
    previous?.status === "closed" && next?.status === "open" ? refuse("stays_closed", { status: "closed" }) : undefined,
  commands: {
    close: {
      summary: "Closes an open ticket.",
      input: { reason: Type.String() },
      event: "closed",
      decide: (ticket, { reason }, { principal }) =>
        ticket.status === "closed"
          ? refuse("already_closed", { reason: ticket.reason ?? null })
          : { ...ticket, status: "closed" as const, reason: `${reason} (${principal})` },
    },
  },
});
