import type { CommunityId } from '../../src/core/ledger/account.ts';
import type { HandlerKind } from '../../src/core/outbox/handler-events.ts';
import { queueName } from '../../src/core/outbox/queue.ts';
import { firstCommunity } from './communities.ts';

/* The queues of a community. */

export const channelQueue = (channelId: string, id: CommunityId = firstCommunity) =>
  queueName('channel', id, channelId);

export const rolesQueue = (guildId: string, id: CommunityId = firstCommunity) => queueName('roles', id, guildId);

export const directMessageQueue = (userId: string, id: CommunityId = firstCommunity) => queueName('dm', id, userId);

export const handlerQueue = (kind: HandlerKind, id: CommunityId = firstCommunity) => queueName('handler', id, kind);
