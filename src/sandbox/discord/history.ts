import { z } from 'zod';
import { snowflakePattern } from '../../platform/snowflake.ts';
import type { Message } from './objects.ts';
import { addIssue } from './schema-parts.ts';

const limit = z.string().transform((text, context) => {
  const count = /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (count === undefined) addIssue(context, [], 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
  else if (count < 1) addIssue(context, [], 'NUMBER_TYPE_MIN', 'int value should be greater than or equal to 1.');
  else if (count > 100) addIssue(context, [], 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 100.');
  return count ?? z.NEVER;
});

const messageId = z.string().transform((text, context) => {
  if (snowflakePattern.test(text)) return BigInt(text);
  addIssue(context, [], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
  return z.NEVER;
});

/** The query of "Get Channel Messages"; at most one of `before`, `after` and `around` applies. */
export const historySchema = z.object({
  limit: limit.default(50),
  before: messageId.optional(),
  after: messageId.optional(),
  around: messageId.optional(),
});
type History = z.output<typeof historySchema>;

/** The selected messages of a channel, newest first. */
export function selectHistory(oldestFirst: readonly Message[], { limit, before, after, around }: History): Message[] {
  const messagesBefore = (id: bigint, count: number) =>
    count === 0 ? [] : oldestFirst.filter((message) => BigInt(message.id) < id).slice(-count);
  const messagesFrom = (id: bigint, count: number) =>
    oldestFirst.filter((message) => BigInt(message.id) >= id).slice(0, count);
  if (around !== undefined) {
    const older = messagesBefore(around, Math.floor(limit / 2));
    return [...older, ...messagesFrom(around, limit - older.length)].reverse();
  }
  if (after !== undefined) return messagesFrom(after + 1n, limit).reverse();
  return before === undefined ? oldestFirst.slice(-limit).reverse() : messagesBefore(before, limit).reverse();
}
