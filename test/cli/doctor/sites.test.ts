import { systemClock } from '@tallyhook/platform/clock';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/features/store.ts';
import { diagnose } from '../../support/diagnose.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

it('doctor says how strong the schemes of other sites are, and whether old webhooks are in use', async () => {
  const of = (name: string, site: string) => ({ name, kind: 'bot', site, voteSecrets: ['a-long-secret-for-votes'] });
  const listings = [of('new', 'topgg'), of('old', 'topgg'), of('place', 'discordplace'), of('what', 'capture')];
  const DATABASE_URL = newSqliteUrl();
  const store = await openStore(DATABASE_URL, systemClock, { thread: false });
  for (const [listing, body] of [
    ['new', '{"type":"vote.create","data":{}}'],
    ['old', '{"bot":"1","user":"2","type":"upvote"}'],
  ] as const) {
    const delivery = { receivedAt: Date.now(), family: 'vote', body } as const;
    await store.recorder.record(delivery, { type: 'ignored', kind: 'other', listing });
  }
  await store.close();
  const { findingsOf } = await diagnose({ ...environmentWith(listings), DATABASE_URL, TALLYHOOK_ROLES: 'receive' });
  expect(findingsOf('sites')).toEqual([
    'pass: Votes of new and old on top.gg are signed.',
    'warn: Votes of place on discord.place carry a token: whoever sees one request can forge votes.',
    'warn: Whatever is sent to the address of what is stored, and pays nothing.',
  ]);
  expect(findingsOf('listings')).toEqual([
    expect.stringMatching(/^pass: new on top\.gg: secret, not announced, last delivery just now/),
    expect.stringMatching(/^pass: old on top\.gg: secret, not announced, last delivery just now/),
    'warn: place on discord.place: secret, not announced, no delivery yet.',
    'warn: what on capture: secret, not announced, no delivery yet.',
  ]);
  expect(findingsOf('deliveries')).toEqual([expect.stringMatching(/^warn: The last delivery for old is of version 0/)]);
  expect(findingsOf('secrets')).toEqual(['pass: The webhook secrets are configured and look valid.']);
});
