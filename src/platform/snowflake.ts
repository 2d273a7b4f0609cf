/** An id of Discord's: 1 to 20 decimal digits, a 64-bit number as text. Discord: "API Reference", section "Snowflakes". */
export const snowflakePattern = /^\d{1,20}$/;

/** Whether the value is an id as Discord writes it. */
export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && snowflakePattern.test(value);
}
