import { describe, expect, it } from 'vitest';
import { trace } from '../../commands/trace.ts';
import { eventKeysOf } from '../../src/core/receiving/replay.ts';
import type { Reply } from '../../src/discord/commands/reply.ts';
import { renderReply } from '../../src/discord/rendering/message.ts';
import { createWritableLedger } from '../../src/features/handlers/ledger.ts';
import { createTraces } from '../../src/features/traces/traces.ts';
import { hour } from '../../src/platform/durations.ts';
import { serverAndBot } from '../support/listings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { startReceiver } from '../support/start-receiver.ts';
import { contextFor, inputOf, memberId, otherMemberId, start } from './command-fixture.ts';

const votedAt = start - hour;

/** `/trace` over the records of a receiver. */
async function withReceiver(listings = serverAndBot()) {
  const { store, post } = await startReceiver({ clock: manualClock(start), listings });
  const traces = createTraces({ records: store.records, eventKeysOf }, { accounts: '', only: null });
  const run = (userId = memberId) =>
    trace.execute(inputOf({ user: userId }, { isManager: true }), { ...contextFor(), traces });
  const vote = (changes: Record<string, unknown> = {}) => ({
    ...{ event: 'server_vote', userId: memberId, serverId: '1', timestamp: new Date(votedAt).toISOString() },
    ...changes,
  });
  return { run, store, post, vote };
}

const textOf = ({ fields = [] }: Reply) => fields.map(({ name, value }) => `${name}\n${value}`);

describe('/trace', () => {
  it('is private and for managers', () => {
    expect(trace).toMatchObject({ visibility: 'private', defaultMemberPermissions: 'ManageGuild' });
  });

  it('shows the deliveries of a member with their steps, newest first', async () => {
    const { run, post, vote } = await withReceiver();
    await post('/webhooks', vote());
    await post('/webhooks', vote());
    await post('/webhooks', vote({ userId: otherMemberId }));
    const [duplicate, recorded, ...others] = textOf(await run());
    expect(others).toEqual([]);
    expect(duplicate).toContain('Delivery 2\n');
    expect(duplicate).toContain('recorded before with delivery 1,');
    expect(duplicate).toContain('Not announced: only recorded deliveries');
    expect(recorded).toContain('Delivery 1\n');
    expect(recorded).toMatch(
      /Received for \*\*server\*\*\.\n.*Recorded once: Vote, \+\*\*10\*\* credits\n.*Announcement: waiting/,
    );
  });

  it('explains a vote that paid nothing, and shows other credits and roles', async () => {
    const { run, post, store, vote } = await withReceiver();
    await post('/webhooks', vote({ creditsAwarded: false, reason: '@everyone' }));
    await store.recorder.correct({ accounts: '', userId: memberId, credits: 5, reason: '**sorry**', at: start }, 'key');
    const [recorded, entries] = textOf(await run());
    expect(recorded).toContain('The service denied the credits');
    expect(recorded).not.toContain('@everyone');
    expect(entries).toMatch(/^Other credits\n.*Correction, \+\*\*5\*\* credits \(\\\*\\\*sorry\\\*\\\*\)$/);
  });

  it('names credits of a program by their reason', async () => {
    const { run, store } = await withReceiver();
    const ledger = createWritableLedger({ store, accountsOf: () => '', clock: { now: () => start } });
    await ledger.award({ userId: memberId, credits: 5, reason: 'quiz **night**', key: 'quiz 1' });
    expect(textOf(await run())).toEqual([
      expect.stringMatching(/^Other credits\n\S+ quiz \\\*\\\*night\\\*\\\*, \+\*\*5\*\* credits$/),
    ]);
  });

  it('gives no wrong reason for a vote that the settings do not announce', async () => {
    const announced = { votes: false, milestones: true, premium: true, party: true };
    const { run, post, vote } = await withReceiver(serverAndBot({ announced }));
    await post('/webhooks', vote());
    expect(textOf(await run()).join()).toMatch(/Recorded once: (?!.*nnounce)/s);
  });

  it('says so if nothing arrived', async () => {
    const { run } = await withReceiver();
    expect(await run()).toMatchObject({ fields: [], text: expect.stringContaining('Nothing has arrived') });
  });

  it('fits into a message', async () => {
    const { run, post, vote } = await withReceiver();
    for (let count = 0; count < 9; count += 1)
      await post('/webhooks', vote({ reason: '_'.repeat(1_000), creditsAwarded: false }));
    const reply = await run();
    expect(reply.fields).toHaveLength(5);
    const [embed] = renderReply(reply, 'trace').embeds;
    expect(embed?.fields).toHaveLength(5);
    expect(JSON.stringify(embed).length).toBeLessThan(9_000);
  });
});
