import { HttpProblem } from "../response/http-problem.ts";

const sha256Member = /^sha-256=:([A-Za-z0-9+/]{43}=):$/u;

/** The SHA-256 of a binary body in `Content-Digest` (RFC 9530), in hex digits. Digests of other algorithms are ignored. */
export function readContentDigest(values: readonly string[] | undefined): string | undefined {
  const members = (values ?? []).flatMap((value) => value.split(",")).map((member) => member.trim());
  const [sent, ...more] = members.filter((member) => /^sha-256\b/iu.test(member));
  if (sent === undefined) return undefined;
  const [, digest] = sha256Member.exec(sent) ?? [];
  if (digest !== undefined && more.length === 0) return Buffer.from(digest, "base64").toString("hex");
  const message = "Content-Digest must be one sha-256=:BASE64: of the body";
  throw new HttpProblem("input_invalid", { issues: [{ pointer: "/sha256", message }] });
}
