/** The image formats that are accepted, recognised by their first bytes. A name says nothing about the content. */
export type ImageFormat = "png" | "jpeg" | "webp" | "tiff";

interface Signature {
  readonly format: ImageFormat;
  /** Bytes at positions of the file. */
  readonly parts: readonly (readonly [at: number, bytes: readonly number[]])[];
}

const ascii = (text: string): readonly number[] => [...Buffer.from(text, "latin1")];

const signatures: readonly Signature[] = [
  { format: "png", parts: [[0, [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a]]] },
  { format: "jpeg", parts: [[0, [0xff, 0xd8, 0xff]]] },
  {
    format: "webp",
    parts: [
      [0, ascii("RIFF")],
      [8, ascii("WEBP")],
    ],
  },
  { format: "tiff", parts: [[0, [...ascii("II"), 42, 0]]] },
  { format: "tiff", parts: [[0, [...ascii("MM"), 0, 42]]] },
];

/** Number of bytes that decide the format. */
export const signatureBytes = 16;

/** The format of a file by its first bytes; undefined if it is none of the four. */
export function imageFormat(start: Uint8Array): ImageFormat | undefined {
  const hasBytes = ([at, bytes]: readonly [number, readonly number[]]): boolean =>
    bytes.every((byte, index) => start[at + index] === byte);
  return signatures.find(({ parts }) => parts.every(hasBytes))?.format;
}
