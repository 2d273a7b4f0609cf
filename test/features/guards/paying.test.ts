import { expect, it } from 'vitest';
import { noCommunity } from '../../../src/core/ledger/account.ts';
import { guildCommands } from '../../support/guild-commands.ts';
import { voteFor } from '../../support/record-vote.ts';

const guildId = '700000000000000001';
const [member, manager] = ['200000000000000001', '200000000000000002'];
const harbour = {
  name: 'harbour',
  kind: 'server',
  lookupKey: 'key-of-harbour',
  guildId,
  guards: { blocked: [member] },
};

it('a manager sees in /trace why a vote was refused, and pays it once', async () => {
  const { store, directory, run, press } = await guildCommands([harbour], ['harbour']);
  const listing = directory.find('harbour');
  if (listing === undefined) throw new Error('no listing');
  const at = Date.now();
  const body = JSON.stringify({ event: 'server_vote', userId: member, timestamp: new Date(at).toISOString() });
  const event = voteFor(listing, member, at);
  await store.recorder.record({ receivedAt: at, family: 'vote', body }, { type: 'event', listing, event });
  const asManager = { guildId, userId: manager, isManager: true };
  const traced = await run(asManager, 'trace', { user: member });
  expect(traced.text).toContain('➖');
  expect(traced.text).toContain('not paid: the user is blocked');
  const [pay = ''] = traced.ids.filter((id) => id.includes('pay'));
  const account = () => store.ledgerIn(directory.ofGuild(guildId)?.id ?? noCommunity).account(member);
  // Somebody else who has got hold of the select, and a member in its options who has no such vote.
  await press({ guildId, userId: member }, pay, traced.values);
  await press(asManager, pay.replace(member, manager), traced.values);
  expect(await account()).toMatchObject({ credits: 0, votes: 0 });
  expect((await press(asManager, pay, traced.values)).text).toContain('It earned **10** credits.');
  expect((await press(asManager, pay, traced.values)).text).toContain('it was paid already');
  expect(await account()).toMatchObject({ credits: 10, votes: 1 });
  const paid = await run(asManager, 'trace', { user: member });
  expect(paid.text).toContain('✅');
  expect(paid.ids).toEqual([]);
});
