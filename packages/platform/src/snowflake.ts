/** An id in Discord: a 64-bit number as 1 to 20 decimal digits. Discord: "API Reference", section "Snowflakes". */
export const snowflakePattern = /^\d{1,20}$/;

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && snowflakePattern.test(value);
}
