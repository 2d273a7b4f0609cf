const packedPattern = /^[\w-]{11}$/;

/** An id in 11 letters, digits, `-` or `_`. */
export function packSnowflake(id: string): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(id)));
  return bytes.toString('base64url');
}

/** The id that {@link packSnowflake} packed; null for another text. */
export function unpackSnowflake(packed: string): string | null {
  return packedPattern.test(packed) ? String(Buffer.from(packed, 'base64url').readBigUInt64BE()) : null;
}
