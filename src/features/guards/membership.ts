import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { Routes } from 'discord-api-types/v10';
import { type Effect, newEffect, planKey } from '../../core/outbox/effect-kind.ts';
import type { OutboxChanges } from '../../core/outbox/outbox.ts';
import { type EffectHandler, handle } from '../../core/outbox/perform.ts';
import { parseQueue, type QueueName } from '../../core/outbox/queue.ts';
import type { Replay } from '../../core/receiving/replay.ts';
import type { Records } from '../../core/records/records.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { rejectionOf, retryAlone } from '../../discord/discord-errors.ts';
import { isNoMember } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { guardsRule } from './rules.ts';
import { type GuardStore, type Membership, membershipKind, waitsForMember } from './store.ts';

/** When Discord is asked again about somebody who is not in the guild, as after joining (ms after the first no). */
const askAgainAtMs = [10 * minute, hour, 6 * hour, day];
/** How often Discord is asked again that does not say who is a member, such as of a guild that the bot has left (ms). */
const unknownEveryMs = hour;
/** A vote about which it has not been said for so long is left to the owner (ms). */
const maxUnknownMs = 7 * day;

type Rest = Pick<DiscordRest, 'get'>;

/** True if a user is in a guild, as Discord says now. Rejects as {@link DiscordRest}. */
async function isInGuild(rest: Rest, guildId: string, userId: string): Promise<boolean> {
  try {
    await rest.get(Routes.guildMember(guildId, userId));
    return true;
  } catch (error) {
    if (isNoMember(error)) return false;
    throw error;
  }
}

interface MembershipContext {
  readonly rest: Rest;
  readonly replay: Replay;
  readonly store: { readonly guards: GuardStore; readonly records: Pick<Records, 'delivery'> };
}

/** Checks for other features before they record a vote that no delivery has brought. */
export interface GuardServices {
  /**
   * True if the guards of a listing take a user for a member of its guild: Discord is asked if only members are paid, and the
   * member's votes that were waiting for that are paid. Rejects as {@link DiscordRest} and the store.
   */
  confirmMember(listing: ListingContext, userId: string): Promise<boolean>;
  /** True if the guards have refused a vote of a member for the listing. Rejects with the errors of the store. */
  hasRefused(listing: ListingContext, userId: string): Promise<boolean>;
}

export function createGuardServices({ rest, replay, store }: MembershipContext): GuardServices {
  return {
    async confirmMember({ name, rewards, community }, userId) {
      const { guildId } = community;
      if (guardsRule.in(rewards)?.membersOnly !== true || guildId === null) return false;
      if (!(await isInGuild(rest, guildId, userId))) return false;
      for (const unpaid of await store.guards.unpaidOf(userId, namesOfTarget(community, name))) {
        const delivery = waitsForMember(unpaid) ? await store.records.delivery(unpaid.id) : null;
        if (delivery !== null && waitsForMember(delivery)) await replay({ ...delivery, isMember: true });
      }
      return true;
    },
    async hasRefused({ name, community }, userId) {
      return (await store.guards.unpaidOf(userId, namesOfTarget(community, name))).length > 0;
    },
  };
}

/** Asks Discord about the voter of a waiting vote, and records the vote, or refuses it until a later answer. */
export function createMembershipHandler({
  rest,
  replay,
  store,
  clock,
  log,
}: MembershipContext & {
  readonly store: { readonly outbox: Pick<OutboxChanges, 'enqueue'> };
  readonly clock: Clock;
  readonly log: Log;
}): EffectHandler<'membership'> {
  /** Discord's answer; `unknown` if it gives none for this guild, and the attempt's result if it does not respond. */
  async function ask({ guildId, userId }: Membership): Promise<boolean | 'unknown' | AttemptResult> {
    try {
      return await isInGuild(rest, guildId, userId);
    } catch (error) {
      const rejection = rejectionOf(error);
      if (rejection === null) return retryAlone(error);
      log.warn(
        { guild: guildId, reason: rejection.message },
        'Discord does not say who is a member; asking again later',
      );
      return 'unknown';
    }
  }

  async function askAgain({ queue, deliveryId }: Effect, content: Membership, delayMs: number): Promise<void> {
    const now = clock.now();
    const effect = newEffect(membershipKind, { queue: queue as QueueName, content, deliveryId, createdAt: now });
    const key = planKey(parseQueue(queue).communityId, 'membership', String(deliveryId));
    await store.outbox.enqueue([{ ...effect, plan: { key, dueAt: now + delayMs, userId: content.userId } }]);
  }

  return handle(membershipKind, async (effect): Promise<AttemptResult> => {
    const delivery = effect.deliveryId === null ? null : await store.records.delivery(effect.deliveryId);
    // The owner has paid it, or the member was forgotten.
    if (delivery === null || !waitsForMember(delivery)) return { outcome: 'done' };
    const { content } = effect;
    const answer = await ask(content);
    if (typeof answer === 'object') return answer;
    if (answer === 'unknown') {
      if (clock.now() < delivery.receivedAt + maxUnknownMs) await askAgain(effect, content, unknownEveryMs);
      return { outcome: 'done' };
    }
    if (answer) {
      const { outcome, credits } = await replay({ ...delivery, isMember: true });
      log.info({ delivery: delivery.id, outcome, credits }, 'the voter is a member: the vote was recorded');
      return { outcome: 'done' };
    }
    await store.guards.refuse(delivery.id);
    const { refusals } = content;
    const nextAt = askAgainAtMs[refusals];
    const delayMs = nextAt === undefined ? null : nextAt - (askAgainAtMs[refusals - 1] ?? 0);
    if (delayMs !== null) await askAgain(effect, { ...content, refusals: refusals + 1 }, delayMs);
    return { outcome: 'done' };
  });
}
