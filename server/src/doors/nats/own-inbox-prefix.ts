/**
 * The prefix of the inboxes of this connection. Deliveries of commands arrive there, with the tokens of their senders. With
 * a prefix of its own no agent needs the right to read it, and no reply address lies below it.
 */
export const ownInboxPrefix = "_HOLDFAST_INBOX";
