/** The limits of the doors, for the page of all limits. */
import { httpLimits } from "../server/src/doors/http/limits.ts";
import { natsLimits } from "../server/src/doors/nats/nats-limits.ts";
import { defaultSocketLimits } from "../server/src/doors/socket/limits.ts";
import type { LimitGroup, Row, Rows } from "./limit-row.ts";

const http: Rows<typeof httpLimits> = {
  bodyBytesMax: {
    bounds: "bytes of a body",
    beyond: "`body_too_large`",
    test: "a body that is too large is refused before it is read, and during the read if it has no Content-Length [P9]",
  },
  headerBytesMax: {
    bounds: "bytes of all headers of a request",
    beyond: "`headers_too_large`",
    test: "headers that are too large, and bytes that are not HTTP, get a problem document too [P9]",
  },
  headersMs: {
    bounds: "milliseconds to send the headers",
    beyond: "`request_timeout`, and the connection is closed",
    test: "a request whose headers or body do not complete in time gets 408 and is disconnected [P9]",
  },
  requestMs: {
    bounds: "milliseconds to send a request",
    beyond: "`request_timeout`, and the connection is closed",
    test: "a request whose headers or body do not complete in time gets 408 and is disconnected [P9]",
  },
  checkEveryMs: "pace",
  keepAliveMs: { bounds: "milliseconds that a connection may be idle between requests", beyond: "it is closed" },
  operatorConnectionsMax: {
    bounds: "connections of the operator's socket",
    beyond: "the longest idle one is closed",
    test: "the operator's socket closes its longest idle connection beyond 64, and still answers [X15]",
  },
  requestsPerConnectionMax: { bounds: "requests of one connection", beyond: "it is closed after its answer" },
  closeMs: { bounds: "milliseconds that a stop waits for a client to read its answer", beyond: "it is closed" },
  waitSecondsMax: {
    bounds: "seconds of `Prefer: wait`",
    beyond: "the wait is reduced to it",
    test: "a wait preference above the maximum is reduced to it, and a wait of 0 is answered at once",
  },
  stalledMs: { bounds: "milliseconds that a reader of events may read nothing", beyond: "the stream is closed" },
  heartbeatMs: "pace",
  gatherMs: "pace",
};

const socket: Rows<typeof defaultSocketLimits> = {
  frameBytesMax: {
    bounds: "bytes of a frame",
    beyond: "`frame_too_large`, and the socket is closed",
    test: "a socket without a hello, with a frame that is too large, or with a binary frame is refused",
  },
  callsMax: {
    bounds: "pending calls of one socket",
    beyond: "the socket is not read until one is answered",
    test: "calls above the limit of concurrent calls wait unread, and all are answered",
  },
  bufferedBytesMax: {
    bounds: "unread bytes of one socket",
    beyond: "the socket is not read, and events wait",
    test: "a client that stops reading is disconnected, and delays no other client meanwhile",
  },
  stalledMsMax: {
    bounds: "milliseconds over that limit",
    beyond: "the socket is closed",
    test: "a client that stops reading is disconnected, and delays no other client meanwhile",
  },
  watchesMax: {
    bounds: "watches of all events of one socket",
    beyond: "`watch_limit`",
    test: "a socket has a maximum of watches, and a socket without a hello is closed after a timeout",
  },
  ownerWatchesMax: {
    bounds: "watches and listeners of single owners of one socket",
    beyond: "`watch_limit`",
    test: "watches of owners and watches of all events have separate limits",
  },
  agentsMax: {
    bounds: "agents of one socket",
    beyond: "the socket is closed",
    test: "a server has a maximum of sockets, and a socket has a maximum of agents [X15]",
  },
  malformedMax: {
    bounds: "malformed frames of one socket",
    beyond: "the socket is closed",
    test: "a malformed frame changes nothing, is answered with the reason, and closes the socket after several",
  },
  helloMsMax: {
    bounds: "milliseconds until `hello`",
    beyond: "the socket is closed",
    test: "a socket has a maximum of watches, and a socket without a hello is closed after a timeout",
  },
  goodbyeMsMax: { bounds: "milliseconds that a stop waits for a socket", beyond: "it is closed" },
  pingEveryMs: { bounds: "milliseconds between pings; a socket has as long to answer", beyond: "the socket is closed" },
  eventsEveryMs: "pace",
  socketsMax: {
    bounds: "sockets of a server",
    beyond: "the upgrade is refused with 503",
    test: "a server has a maximum of sockets, and a socket has a maximum of agents [X15]",
  },
};

type NatsBound = "inFlightMax" | "ackPendingMax" | "deliveriesMax" | "publishAhead" | "scanAhead" | "eventBytesMax";

/** The other numbers of the NATS door pace its own work. */
const nats: Readonly<Record<NatsBound, Row>> = {
  inFlightMax: { bounds: "consumed commands without an answer", beyond: "the others wait in the stream" },
  ackPendingMax: { bounds: "unacknowledged commands of all nodes", beyond: "the others wait in the stream" },
  deliveriesMax: {
    bounds: "deliveries of an unreadable command",
    beyond: "it is parked",
    test: "an unreadable command is answered, delivered five times, and then parked without its secrets [M11]",
  },
  publishAhead: { bounds: "events in flight to the stream", beyond: "the others wait in the journal" },
  scanAhead: { bounds: "messages in flight while the stream is read for an erasure", beyond: "the others wait" },
  eventBytesMax: { bounds: "bytes of an event stream that Holdfast creates", beyond: "the oldest events are removed" },
};

export const doorLimits: Readonly<Record<"http" | "socket" | "nats", LimitGroup>> = {
  http: { title: "HTTP", values: httpLimits, rows: http },
  socket: { title: "Sockets", values: { ...defaultSocketLimits }, rows: { ...socket } },
  nats: { title: "NATS", values: { ...natsLimits }, rows: nats },
};
