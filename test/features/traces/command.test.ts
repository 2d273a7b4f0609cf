import { hour } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { trace } from '../../../commands/trace.ts';
import type { Reply } from '../../../src/discord/commands/reply.ts';
import { renderReply } from '../../../src/discord/rendering/message.ts';
import { createTraces, type TracedDelivery } from '../../../src/features/traces/parts.ts';
import {
  contextFor,
  fakeLookup,
  inputOf,
  memberId,
  otherMemberId,
  server,
  start,
} from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { serverAndBot } from '../../support/listings.ts';
import { startReceiver } from '../../support/start-receiver.ts';

const votedAt = start - hour;

/** `/trace` over the records of a receiver. */
async function withReceiver(listings = serverAndBot()) {
  const { store, post } = await startReceiver({ clock: manualClock(start), listings });
  const traces = createTraces({ records: store.records }, { communityId: firstCommunity, only: null });
  const run = (userId = memberId) =>
    trace.execute(inputOf({ user: userId }, { isManager: true }), { ...contextFor(), traces });
  const vote = (changes: Record<string, unknown> = {}) => ({
    ...{ event: 'server_vote', userId: memberId, serverId: '1', timestamp: new Date(votedAt).toISOString() },
    ...changes,
  });
  return { run, store, post, vote };
}

/** The reply for a member with this delivery alone. */
async function replyFor(delivery: TracedDelivery, ...listings: Parameters<typeof contextFor>): Promise<Reply> {
  const traces = { trace: async () => ({ deliveries: [delivery], entries: [], roles: [] }) };
  return trace.execute(inputOf({ user: memberId }, { isManager: true }), { ...contextFor(...listings), traces });
}

/** What a stored effect has that is not shown. */
const unshown = {
  ...{ id: 1, attempts: 1, deliveryId: 1, queue: '' },
  ...{ createdAt: start, dueAt: start, finishedAt: start },
};

const linesOf = ({ text }: Reply) => (text ?? '').replaceAll(/<t:\d+:\w>/g, 'T').split('\n');
const fieldsOf = ({ fields = [] }: Reply) => fields.map(({ name, value }) => `${name}\n${value}`);

describe('/trace', () => {
  it('shows a line for each delivery of a member, newest first, and below it only what waits', async () => {
    const { run, post, vote } = await withReceiver();
    await post('/webhooks', vote());
    await post('/webhooks', vote());
    await post('/webhooks', vote({ userId: otherMemberId }));
    expect(linesOf(await run())).toEqual([
      `The last votes and purchases of <@${memberId}>`,
      '➖ T T · **server** · repeated, counts only once',
      '⏳ T T · **server** · +10',
      '-# Announcement: waiting',
    ]);
  });

  it('names the listing as the service does, the roles, and what was announced', async () => {
    const effect = { ...unshown, state: 'done', reason: null } as const;
    const delivery: TracedDelivery = {
      ...{
        id: 1,
        receivedAt: start,
        listing: 'server',
        outcome: 'recorded',
        reason: null,
        refusal: null,
        isPayable: false,
      },
      entry: { id: 1, deliveryId: 1, listing: 'server', cause: 'vote', credits: 20, reason: '10 × 2', at: start },
      effects: [
        { ...effect, kind: 'announcement', role: null },
        { ...effect, kind: 'role', role: '300000000000000009' },
      ],
    };
    const lookup = fakeLookup('server', { profile: async () => server });
    const reply = await replyFor(delivery, { name: 'server', lookup });
    expect(linesOf(reply)[1]).toBe('✅ T T · **Lantern Harbour** · +20 (10 × 2) · <@&300000000000000009> · announced');
  });

  it('shows what failed, with mentions in place of ids', async () => {
    const failed = {
      ...unshown,
      kind: 'role',
      state: 'buried',
      role: null,
      reason: 'Role 300000000000000009 is managed.',
    } as const;
    const reply = await replyFor({
      ...{
        id: 1,
        receivedAt: start,
        listing: null,
        outcome: 'recorded',
        reason: null,
        refusal: null,
        isPayable: false,
      },
      ...{ entry: null, effects: [failed] },
    });
    expect(linesOf(reply).slice(1)).toEqual([
      '⚠️ T T · unknown listing · end of a purchase',
      '-# Role: failed permanently: <@&300000000000000009> is managed.',
    ]);
  });

  it('explains a vote that paid nothing, and shows other credits and roles', async () => {
    const { run, post, store, vote } = await withReceiver();
    await post('/webhooks', vote({ creditsAwarded: false, reason: '@everyone' }));
    await store.recorder.correct(
      { communityId: firstCommunity, userId: memberId, credits: 5, reason: '**sorry**', at: start },
      'key',
    );
    const reply = await run();
    expect(linesOf(reply)[1]).toMatch(/· Vote without credits from the service · 0$/);
    expect(fieldsOf(reply)[0]).toMatch(/^Other credits\n.*Correction, \+\*\*5\*\* credits \(\\\*\\\*sorry\\\*\\\*\)$/);
  });

  it('fits into a message', async () => {
    const { run, post, vote } = await withReceiver();
    for (let count = 0; count < 20; count += 1)
      await post('/webhooks', vote({ reason: '_'.repeat(1_000), creditsAwarded: false }));
    const reply = await run();
    expect(linesOf(reply).filter((line) => line.includes('server')).length).toBe(15);
    const [embed] = renderReply(reply, 'trace').embeds;
    expect(embed?.description?.length).toBeLessThanOrEqual(4_096);
  });
});
