import { isSnowflake } from '@tallyhook/platform/snowflake';
import { announcementKind, directMessageKind, isOf, roleKind } from './effect-kind.ts';
import type { NewEffect } from './outbox.ts';
import { parseQueue } from './queue.ts';

/**
 * Refuses an effect that is in the queue of something else, which would wait for others or overtake its own.
 * @throws RangeError
 */
export function assertOwnQueue(effect: NewEffect): void {
  if (!isInOwnQueue(effect)) throw new RangeError(`An effect of the kind "${effect.kind}" is in a queue of others.`);
}

function isInOwnQueue(effect: NewEffect): boolean {
  const { type, id } = parseQueue(effect.queue);
  if (isOf(announcementKind, effect)) return type === 'channel' && isSnowflake(id);
  const { content } = effect;
  if ('channelId' in content) return type === 'channel' && isSnowflake(id) && id === content.channelId;
  if (isOf(roleKind, effect)) return type === 'roles' && id === effect.content.guildId;
  if (isOf(directMessageKind, effect)) return type === 'dm' && id === effect.content.userId;
  return type !== 'channel';
}
