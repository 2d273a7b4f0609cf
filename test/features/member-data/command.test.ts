import { gunzipSync } from 'node:zlib';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { privacy } from '../../../commands/privacy.ts';
import { createMemberDataAccess } from '../../../src/features/member-data/parts.ts';
import { contextFor, inputOf, memberId, otherMemberId, start } from '../../support/command-fixture.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { openLedger } from '../../support/voting.ts';

/** `/privacy` over its own database, with a correction of the member's account. */
async function withAccount() {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  for (const userId of [memberId, otherMemberId]) {
    await store.recorder.correct(
      { communityId: firstCommunity, userId, credits: 7, reason: 'Event won', at: start },
      `key ${userId}`,
    );
  }
  const { log, logged } = collectingLog();
  const memberData = createMemberDataAccess({
    ...{ store, directory: { listings: [] }, unlink: async () => false, clock, log },
  });
  const run = (options: Record<string, string>, changes = {}) =>
    privacy.execute(inputOf(options, changes), { ...contextFor(), clock, memberData });
  return { run, store, logged };
}

describe('/privacy', () => {
  it('exports what is stored about the member as a file', async () => {
    const { run } = await withAccount();
    const reply = await run({ action: 'export' });
    const [file] = reply.files ?? [];
    expect(file?.name).toBe('my-votes-2026-01-01.json');
    const text = Buffer.from(file?.content ?? []).toString();
    expect(JSON.parse(text)).toMatchObject({
      userId: memberId,
      exportedAt: '2026-01-01T00:00:00.000Z',
      tables: {
        balances: [{ account_id: accountOf(memberId), credits: 7 }],
        entries: [{ cause: 'correction', credits: 7, reason: 'Event won' }],
        corrections: [{ idempotency_key: `key ${memberId}` }],
      },
    });
    expect(text).not.toContain(otherMemberId);
  });

  it('says so if nothing is stored', async () => {
    const { run } = await withAccount();
    const reply = await run({ action: 'export' }, { userId: '200000000000000009' });
    expect(reply).toMatchObject({ text: 'Nothing is stored about you.' });
    expect(reply.files).toBeUndefined();
  });

  it('compresses a file that is too large for Discord', async () => {
    const json = JSON.stringify('x'.repeat(9_000_000));
    const memberData = { export: async () => json, forget: async () => {}, unlink: async () => false };
    const { files } = await privacy.execute(inputOf({ action: 'export' }), { ...contextFor(), memberData });
    expect(files?.[0]?.name).toBe('my-votes-2026-01-01.json.gz');
    expect(gunzipSync(files?.[0]?.content ?? new Uint8Array()).toString()).toBe(json);
  });

  it('forgets the member only after the confirmation', async () => {
    const { run, store, logged } = await withAccount();
    const credits = async () => (await store.ledgerIn(firstCommunity).account(memberId)).credits;
    const reply = await run({ action: 'forget' });
    expect(reply.buttons).toMatchObject([
      { action: 'forget', label: 'Confirm', style: 'danger' },
      { action: 'cancel', label: 'Cancel' },
    ]);
    expect(await run({}, { action: 'cancel' })).toMatchObject({ response: 'update', text: 'Nothing was changed.' });
    expect(await credits()).toBe(7);
    expect(await run({}, { action: 'forget' })).toMatchObject({ response: 'update', tone: 'good' });
    expect(await credits()).toBe(0);
    expect(await run({ action: 'export' })).toMatchObject({ text: 'Nothing is stored about you.' });
    expect(await run({}, { action: 'forget' })).toMatchObject({ tone: 'good' });
    expect(JSON.stringify(logged)).not.toContain(memberId);
    expect((await store.ledgerIn(firstCommunity).account(otherMemberId)).credits).toBe(7);
    expect(await store.records.counts()).toMatchObject({ users: 2, credits: 14 });
  });
});
