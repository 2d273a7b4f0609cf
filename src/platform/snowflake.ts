/** An id in Discord: a 64-bit number as 1 to 20 decimal digits. Discord: "API Reference", section "Snowflakes". */
export const snowflakePattern = /^\d{1,20}$/;

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && snowflakePattern.test(value);
}

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
