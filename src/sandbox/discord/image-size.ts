/** The width and height of a PNG in pixels; undefined for anything else. */
export function pngSize(bytes: Buffer): { width: number; height: number } | undefined {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const isPng = bytes.length >= 24 && signature.every((byte, index) => bytes[index] === byte);
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}
