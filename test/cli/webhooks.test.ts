import { systemClock } from '@tallyhook/platform/clock';
import { day, hour } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import type { CommunityId } from '../../src/core/ledger/account.ts';
import { outgoingEvent, webhookEffects } from '../../src/features/events/event.ts';
import { endpointId } from '../../src/features/events/settings.ts';
import { openStore } from '../../src/features/store.ts';
import { claimDue } from '../support/claim-due.ts';
import { runCommand } from '../support/command-line.ts';
import { addCommunity } from '../support/communities.ts';
import { diagnose } from '../support/diagnose.ts';
import { environmentWith } from '../support/listings-file.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

const [harbour, pier] = ['613425648685547541', '613425648685547542'];
const secretUrl = (host: string) => `https://${host}/path-of-the-secret`;
const [paused, failing] = [secretUrl('paused.example'), secretUrl('failing.example')];
const [pausedId, failingId] = [endpointId(paused), endpointId(failing)];

/** The endpoints of two communities: one of each is paused, the other one of the first fails. */
async function installation() {
  const secrets = ['the-secret-of-the-webhook'];
  const listing = (name: string, guildId: string, urls: readonly string[]) => ({
    ...{
      name,
      kind: 'server',
      id: guildId,
      guildId,
      lookupKey: `key-of-${name}`,
      voteSecrets: [`votes-of-${name}-1234`],
    },
    webhooks: urls.map((url) => ({ url, secrets, events: ['vote.reversed'] })),
  });
  const environment = {
    ...environmentWith([listing('harbour', harbour, [paused, failing]), listing('pier', pier, [paused])]),
    ...{ TALLYHOOK_ROLES: 'receive', DATABASE_URL: newSqliteUrl() },
  };
  const run = async (...args: string[]) => {
    const { code, output } = await runCommand(['webhooks', ...args], environment);
    expect(output).not.toContain('path-of-the-secret');
    return { code, lines: output.trimEnd().split('\n') };
  };
  // Gives the communities of the settings their ids.
  await run();
  const store = await openStore(environment.DATABASE_URL, systemClock, { thread: false });
  onTestFinished(() => store.close());
  const now = Date.now();
  const attempt = (communityId: CommunityId, endpoint: string, at: number, isGone = false) =>
    store.events.attempted(
      { communityId, endpoint },
      { eventId: 'e', type: 'vote.reversed', at, durationMs: 3, status: 500, error: 'It returned 500.', response: '' },
      { isGone, host: 'paused.example', ownerChannelId: null },
    );
  const ids = [await addCommunity(store, harbour), await addCommunity(store, pier)] as const;
  for (const id of ids) await attempt(id, pausedId, now - day, true);
  await attempt(ids[0], failingId, now - 2 * hour);
  return { environment, store, ids, now, run };
}

it('webhooks lists the addresses of all communities by their hosts, and which of them fail', async () => {
  const { run, environment } = await installation();
  const { code, lines } = await run();
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      `${pausedId}  paused.example  guild ${harbour}  vote.reversed  paused: It returned 500.`,
      expect.stringMatching(
        `^${failingId}  failing.example  guild ${harbour}  vote.reversed  failing since .*: It returned 500.$`,
      ),
      `${pausedId}  paused.example  guild ${pier}  vote.reversed  paused: It returned 500.`,
    ],
  });
  const { findingsOf, results } = await diagnose(environment);
  expect(findingsOf('webhooks').sort()).toEqual([
    'warn: The address on failing.example that hears of events has failed for 2 hours: It returned 500.',
    ...Array.from(
      { length: 2 },
      () => 'warn: The address on paused.example that hears of events is paused: It returned 500.',
    ),
  ]);
  const hints = results.filter(({ check }) => check === 'webhooks').map(({ hint }) => hint);
  expect(hints).toContain(`When it is repaired, run \`tallyhook webhooks resume --endpoint ${pausedId}\`.`);
});

it('webhooks resume has the addresses of one community tried again, and of no other', async () => {
  const { run, store, ids } = await installation();
  expect((await run('resume', '--endpoint', 'unknown')).code).toBe(2);
  expect((await run('resume', '--guild', harbour, '--endpoint', pausedId)).lines.join()).toContain(
    'tries 1 endpoint again',
  );
  const left = (await store.events.failingEndpoints(null)).map(
    ({ communityId, endpoint }) => `${communityId} ${endpoint}`,
  );
  expect(left.sort()).toEqual([`${ids[0]} ${failingId}`, `${ids[1]} ${pausedId}`].sort());
});

it('webhooks resend sends again what has failed for good in a time, of the chosen addresses', async () => {
  const { run, store, ids, now } = await installation();
  const bury = async (communityId: CommunityId, endpoint: string, at: number) => {
    const audience = { communityId, guildId: harbour, endpoints: [{ id: endpoint, events: null }] };
    const event = outgoingEvent(audience, { type: 'webhook.test', data: { at: '' } }, at);
    await store.outbox.enqueue(webhookEffects(audience, event, { deliveryId: null, now: at }));
    await store.outbox.bury(await claimDue(store.outbox, now, now + hour, 1), now, 'The endpoint returned 500.');
  };
  await bury(ids[0], pausedId, now - hour);
  await bury(ids[0], pausedId, now - 10 * day);
  await bury(ids[0], failingId, now - hour);
  await bury(ids[1], pausedId, now - hour);
  expect((await run('resend', '--since', 'yesterday')).code).toBe(2);
  expect((await run('resend', '--guild', harbour, '--endpoint', pausedId)).lines).toEqual([
    'The bot sends 1 event again.',
  ]);
  expect(await store.outbox.sizes()).toEqual({ waiting: 1, buried: 3 });
  expect((await run('resend', '--since', '30d')).lines).toEqual(['The bot sends 3 events again.']);
  expect((await run('resend')).lines).toEqual(['Nothing has failed for good in this time.']);
});
