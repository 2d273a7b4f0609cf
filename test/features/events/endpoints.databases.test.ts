import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import type { CommunityId } from '../../../src/core/ledger/account.ts';
import { endpointQueue, outgoingEvent, webhookEffects } from '../../../src/features/events/event.ts';
import { openStore } from '../../../src/features/store.ts';
import { claimDue } from '../../support/claim-due.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';

const start = Date.UTC(2026, 0, 1);
const [own, other] = [1 as CommunityId, 2 as CommunityId];
const ownerChannelId = '500000000000000009';

describeOnEveryDatabase('the endpoints of communities', (newUrl) => {
  async function open() {
    const store = await openStore(newUrl(), systemClock, { thread: false });
    onTestFinished(() => store.close());
    const attempt = (at: number, error: string | null, communityId = own) =>
      store.events.attempted(
        { communityId, endpoint: 'e' },
        {
          eventId: 'x',
          type: 'vote.recorded',
          at,
          durationMs: 3,
          status: error === null ? 200 : 500,
          error,
          response: '',
        },
        { isGone: error === 'gone', host: 'bot.example.com', ownerChannelId },
      );
    return { store, attempt };
  }

  it('are paused after five days of failures, each for itself, and its owner is told once', async () => {
    const { store, attempt } = await open();
    expect(await attempt(start, 'down')).toBe(false);
    expect(await attempt(start + 4 * day, 'down', other)).toBe(false);
    expect(await attempt(start + 5 * day - minute, 'down')).toBe(false);
    expect(await attempt(start + 5 * day, 'still down')).toBe(true);
    expect(await attempt(start + 5 * day + hour, 'still down')).toBe(true);
    const paused = await store.events.endpointState({ communityId: own, endpoint: 'e' });
    expect(paused).toEqual({ failingSince: start, pausedAt: start + 5 * day, reason: 'still down' });
    expect(await store.events.endpointState({ communityId: other, endpoint: 'e' })).toMatchObject({ pausedAt: null });
    const reports = await claimDue(store.outbox, start + 5 * day + 2 * hour, start + 6 * day, 10);
    expect(reports).toMatchObject([
      { kind: 'ownerReport', content: { report: { type: 'webhookPaused', host: 'bot.example.com' } } },
    ]);
    await store.events.forgetFailures({ communityId: own, endpoint: 'e' });
    expect(await attempt(start + 7 * day, 'down')).toBe(false);
  });

  it('that accept a request again have not failed, and those that are gone are paused at once', async () => {
    const { store, attempt } = await open();
    await attempt(start, 'down');
    await attempt(start + 4 * day, null);
    expect(await attempt(start + 6 * day, 'down')).toBe(false);
    expect(await attempt(start, 'gone', other)).toBe(true);
    const attempts = await store.events.attempts({ communityId: own, endpoint: 'e' }, { limit: 2, before: null });
    expect(attempts.map(({ error }) => error)).toEqual(['down', null]);
  });

  it('get an event at once that was stored by a clock that was ahead, but what has failed only when it is due', async () => {
    const { store } = await open();
    const now = start;
    const add = async (endpoint: string, at: number) => {
      const audience = { communityId: own, guildId: null, endpoints: [{ id: endpoint, events: null }] };
      const event = outgoingEvent(audience, { type: 'webhook.test', data: { at: '' } }, at);
      await store.outbox.enqueue(webhookEffects(audience, event, { deliveryId: null, now: at }));
      return endpointQueue(own, endpoint);
    };
    const failed = await add('failed', now);
    await store.outbox.retry(await store.outbox.claim(failed, now, now + minute, 1), now + 5 * hour, 'down');
    const ahead = await add('ahead', now + hour);
    await store.outbox.wake(now);
    expect(await store.outbox.nextDueAt(ahead, now)).toBe(now);
    expect(await store.outbox.nextDueAt(failed, now)).toBe(now + 5 * hour);
  });
});
