import { isSnowflake } from '../../platform/snowflake.ts';
import { roleQueue } from '../tally/queues.ts';
import { recipientOf } from './direct-message-queue.ts';
import type { NewEffect } from './outbox.ts';

/**
 * Refuses an effect that is in the queue of something else, such as a text in place of a channel that names the roles of
 * another guild. What is posted in a channel is in the queue of that channel, whose name is the id alone; the names of all
 * other queues begin with a word.
 * @throws RangeError
 */
export function assertOwnQueue(effect: NewEffect): void {
  if (!isInOwnQueue(effect)) throw new RangeError(`An effect of the kind "${effect.kind}" is in a queue of others.`);
}

function isInOwnQueue(effect: NewEffect): boolean {
  const { kind, queue, content } = effect;
  if (kind === 'announcement') return isSnowflake(queue);
  if ('channelId' in content) return isSnowflake(queue) && queue === content.channelId;
  if (kind === 'role') return queue === roleQueue(effect.content.guildId);
  if (kind === 'directMessage') return recipientOf(queue)?.userId === effect.content.userId;
  return /^[a-z]/i.test(queue);
}
