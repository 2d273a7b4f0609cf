import { randomUUID } from 'node:crypto';
import { isObject } from '@tallyhook/platform/json';
import { addedValue } from '../../core/added-value.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Audience } from '../../core/outbox/audience.ts';
import { type EffectKind, formatOf, type NewEffect, newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { EventType } from './event-types.ts';
import type { EventData } from './schemas.ts';

/** A receiver of events that a community, or the operator, has entered. */
export interface WebhookEndpoint {
  /** Made of its URL, unique in its community. */
  readonly id: string;
  readonly url: string;
  /** All that are valid, so that one can be replaced. They are never shown. */
  readonly secrets: readonly string[];
  /** The types that it receives; null for all. */
  readonly events: readonly EventType[] | null;
}

/** The endpoints of a community, of the settings in effect. */
export const webhookEndpoints = addedValue<readonly WebhookEndpoint[]>('webhooks', []);

/** An event without the fields that every event has. */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly data: Omit<EventData[Type], 'id' | 'guildId'>;
  };
}[EventType];

/** An event as receivers get it: the body of a request is its JSON. */
export interface OutgoingEvent {
  readonly type: EventType;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: { readonly id: string; readonly guildId: string | null; readonly [field: string]: unknown };
}

/** The kind of effect of an event for the endpoint of its queue. */
export const webhookKind: EffectKind<'webhook', OutgoingEvent> = {
  kind: 'webhook',
  ...formatOf(isOutgoingEvent),
  withoutMember: (event, userId) =>
    event.data['userId'] === userId ? null : { ...event, data: unnamed(event.data, userId) },
};

/** The data of an event of somebody else, without a member who gave or wrote something. */
function unnamed(data: OutgoingEvent['data'], userId: string): OutgoingEvent['data'] {
  const others = (['giftedBy', 'author', 'recipientId'] as const).filter((name) => data[name] === userId);
  return { ...data, ...Object.fromEntries(others.map((name) => [name, null])) };
}

function isOutgoingEvent(value: unknown): value is OutgoingEvent {
  return isObject(value) && typeof value['type'] === 'string' && isObject(value['data']);
}

/** The event for a community. @param now the current time (ms since the epoch) */
export function outgoingEvent(
  { guildId }: Pick<Audience, 'guildId'>,
  { type, data }: NewEvent,
  now: number,
): OutgoingEvent {
  const id = randomUUID().replaceAll('-', '');
  return { type, timestamp: new Date(now).toISOString(), data: { id, guildId, ...data } };
}

/** The queue of an endpoint. */
export function endpointQueue(communityId: CommunityId, endpointId: string): QueueName {
  return queueName('webhook', communityId, endpointId);
}

/** The requests that tell the endpoints of the event, each an effect of its own. @param now ms since the epoch */
export function webhookEffects(
  { communityId, endpoints }: Pick<Audience, 'communityId' | 'endpoints'>,
  event: OutgoingEvent,
  { deliveryId, now }: { readonly deliveryId: number | null; readonly now: number },
): readonly NewEffect[] {
  return endpoints
    .filter(({ events }) => events === null || events.includes(event.type))
    .map(({ id }) => {
      const queue = endpointQueue(communityId, id);
      return newEffect(webhookKind, { queue, content: event, deliveryId, createdAt: now });
    });
}
