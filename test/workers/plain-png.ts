/** A small PNG encoder and decoder, independent of the image library: 8 bits a channel, no interlacing. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly pixels: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.byteLength);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}

/** The header of an image that claims a size. */
export function pngHeader(width: number, height: number, channels: 3 | 4): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 4 ? 6 : 2, 0, 0, 0], 8);
  return Buffer.concat([signature, chunk("IHDR", header)]);
}

export function encodePng({ width, height, channels, pixels }: Picture): Buffer {
  const stride = width * channels;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  const data = chunk("IDAT", deflateSync(rows));
  return Buffer.concat([pngHeader(width, height, channels), data, chunk("IEND", Buffer.alloc(0))]);
}

export function decodePng(bytes: Buffer): Picture {
  const parts: Buffer[] = [];
  let header = Buffer.alloc(13);
  for (let at = signature.length; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + size);
    if (type === "IHDR") header = Buffer.from(data);
    if (type === "IDAT") parts.push(data);
    at += size + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = header[9] === 6 ? 4 : 3;
  if (header[8] !== 8 || ![2, 6].includes(header[9] ?? 0) || header[12] !== 0)
    throw new Error("the PNG has another form");
  return { width, height, channels, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels) };
}

function unfiltered(rows: Uint8Array, stride: number, channels: number): Uint8Array {
  const height = rows.length / (stride + 1);
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : (pixels[y * stride + x - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[(y - 1) * stride + x - channels] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[y * stride + x] = (rows[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(estimate - each)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
