/** Problems between a client and a server. The codes are part of the one registry, in `problems.ts`. */
export const transportProblems = {
  unreachable: {
    status: 503,
    retry: "same-key",
    title: "No Holdfast server answers",
    next: "Nothing was sent. Start the server with `holdfast up`, or set HOLDFAST_URL to its address.",
  },
  closed: {
    status: 503,
    retry: "never",
    title: "The client is closed",
    next: "Create a new client with `connect` or `open`.",
  },
  frame_malformed: {
    status: 400,
    retry: "never",
    title: "Malformed frame",
    next: "Nothing in the frame was executed. Fix what `reason` names. docs/reference/socket.md describes frames.",
  },
  frame_too_large: {
    status: 413,
    retry: "never",
    title: "The message is larger than a frame",
    next: "Nothing was sent. Send a smaller message. `limit` is the maximum in bytes.",
  },
  protocol_mismatch: {
    status: 400,
    retry: "never",
    title: "Client and server speak different versions of the socket protocol",
    next: "Upgrade the older side. `client_protocol` and `server_protocol` are the numbers.",
  },
  watch_limit: {
    status: 429,
    retry: "never",
    title: "Too many watches on one socket",
    next: "End a watch, or use one watch with a wider filter. `limit` is the maximum.",
  },
} as const;
