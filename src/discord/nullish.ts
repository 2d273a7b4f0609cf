import { z } from 'zod';

/** What Discord sends as null or leaves out, with another value in its place. */
export function orElse<Schema extends z.ZodType, Value>(schema: Schema, value: Value) {
  return z.nullish(schema).transform((given): NonNullable<z.output<Schema>> | Value => given ?? value);
}
