/** What can go wrong between a client and a server. The codes are part of the one registry, in `problems.ts`. */
export const transportProblems = {
  unreachable: {
    status: 503,
    retry: "same-key",
    title: "No Holdfast server answers",
    next: "Nothing was sent. Start it with `holdfast up`, or set HOLDFAST_URL to where it runs.",
  },
  closed: {
    status: 503,
    retry: "never",
    title: "The client was closed",
    next: "Make a new one, with `connect` or `open`.",
  },
  frame_malformed: {
    status: 400,
    retry: "never",
    title: "The frame was not understood",
    next: "Nothing in it was done. Mend what `reason` names; docs/reference/socket.md describes frames.",
  },
  frame_too_large: {
    status: 413,
    retry: "never",
    title: "The message does not fit into a frame",
    next: "Nothing was sent. Send less at a time; `limit` names the bound in bytes.",
  },
  protocol_unknown: {
    status: 400,
    retry: "never",
    title: "This server does not speak that version of the socket's protocol",
    next: "Use a client whose protocol is one of `known`.",
  },
  watch_limit: {
    status: 429,
    retry: "never",
    title: "One socket watches too much at once",
    next: "Stop watching something, or filter one watch less; `limit` names the bound.",
  },
} as const;
