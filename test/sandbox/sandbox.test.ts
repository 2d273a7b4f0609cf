import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { textsIn } from '../../src/texts/texts.ts';
import { sign } from '../../src/webhook/signature.ts';
import { stepsOf, timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';
const vote = { kind: 'server', userId: mira, username: 'mira' } as const;
const settled = ({ isSettled }: { isSettled: boolean }) => isSettled;

describe('the language of the server', { timeout: 20_000 }, () => {
  it('is that of the next announcement after it was changed', async () => {
    const { discord, service } = await wholeSandbox();
    const announced = async (title: string) => {
      const titles = () => discord.messages(discord.channels.announcements).map(({ embeds }) => embeds[0]?.title);
      while (!titles().includes(title)) await once(discord.events, 'change');
    };
    await service.castVote(vote);
    await announced('Thank you for the vote!');
    discord.guild.setGuildLocale('de');
    await service.castVote({ kind: 'server', userId: discord.members[2]?.id ?? '', username: 'Ayşe' });
    await announced(textsIn('de').text('announcement.titles.vote'));
  });
});

describe('a delivery in the timeline', { timeout: 20_000 }, () => {
  it('receives its steps from the first byte to the announcement', async () => {
    const sandbox = await wholeSandbox();
    const { delivery, items } = timelineOf(sandbox);
    await sandbox.service.castVote(vote);
    const done = await delivery(settled);
    expect(done.title).toBe('Server vote by mira');
    expect(stepsOf(done)).toEqual(['received', 'verified', 'recorded', 'credited', 'announced']);
    expect(done.steps.map(({ text }) => text).slice(-2)).toEqual(['+10 credits', 'Announced in #votes']);
    const times = done.steps.map(({ afterMs }) => afterMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(items.filter(({ kind }) => kind === 'delivery').map((item) => 'id' in item && item.id)).size).toBe(
      1,
    );
  });

  it('ends as a duplicate without credits when it is sent again', async () => {
    const sandbox = await wholeSandbox();
    const { delivery } = timelineOf(sandbox);
    await sandbox.service.castVote(vote);
    await delivery(settled);
    expect(await sandbox.faultInjection.resendLast()).toEqual({
      status: 200,
      body: { received: true, outcome: 'duplicate' },
    });
    const repeated = await delivery(({ id, isSettled }) => id === 2 && isSettled);
    expect(stepsOf(repeated)).toEqual(['received', 'verified', 'duplicate']);
    expect(repeated.title).toBe('Server vote by mira');
    expect((await sandbox.app.ledger.account(mira))?.credits).toBe(10);
  });

  it('ends if its signature is invalid', async () => {
    const sandbox = await wholeSandbox();
    const { delivery } = timelineOf(sandbox);
    expect(await sandbox.faultInjection.sendInvalidSignature(mira)).toMatchObject({ status: 401 });
    const refused = await delivery(settled);
    expect(stepsOf(refused)).toEqual(['received', 'refused']);
    expect(refused.steps[1]?.text).toContain('Rejected (401): The signature does not match.');
    expect(await sandbox.app.ledger.account(mira)).toBe(null);
  });

  it('is quarantined if its event type is unknown', async () => {
    const sandbox = await wholeSandbox();
    const { delivery } = timelineOf(sandbox);
    await sandbox.faultInjection.sendUnknownEvent(mira);
    const kept = await delivery(settled);
    expect(kept.title).toBe('“server_boost” by mira');
    expect(stepsOf(kept)).toEqual(['received', 'verified', 'quarantined']);
  });

  it('ends if it is a test for which no channel is chosen', async () => {
    const secret = 'secret of the test delivery';
    const listingSettings = { voteSecrets: [secret], announceChannelId: undefined };
    const sandbox = await wholeSandbox({ listingSettings });
    const { delivery } = timelineOf(sandbox);
    const body = JSON.stringify({ event: 'server_vote', userId: mira, test: true });
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, secret) };
    await fetch(`${sandbox.urls.bot}/webhooks/vote`, { method: 'POST', headers, body });
    const done = await delivery(settled);
    expect(stepsOf(done)).toEqual(['received', 'verified', 'test', 'unannounced']);
    expect(done.steps.at(-1)).toMatchObject({ tone: 'plain', text: 'Not announced: no channel is chosen' });
  });

  it.each([
    ['no channel is chosen', { announceChannelId: undefined }],
    ['votes are not announced', { announcements: { mode: 'none' } }],
  ] as const)('ends with its credits if %s', async (_reason, listingSettings) => {
    const sandbox = await wholeSandbox({ listingSettings });
    const { delivery } = timelineOf(sandbox);
    await sandbox.service.castVote(vote);
    const done = await delivery(settled);
    expect(stepsOf(done)).toEqual(['received', 'verified', 'recorded', 'credited', 'unannounced']);
    expect(done.steps.at(-1)?.text).toMatch(/^Not announced: no channel is chosen, or /);
  });

  it('waits while Discord is down and is announced once afterwards', async () => {
    const sandbox = await wholeSandbox();
    const { delivery } = timelineOf(sandbox);
    sandbox.outages.discord.begin(minute);
    await sandbox.service.castVote(vote);
    const waiting = await delivery((item) => stepsOf(item).includes('waiting'));
    expect(stepsOf(waiting).slice(0, 4)).toEqual(['received', 'verified', 'recorded', 'credited']);
    expect(waiting.isSettled).toBe(false);
    sandbox.outages.discord.end();
    const done = await delivery(settled);
    expect(stepsOf(done).at(-1)).toBe('announced');
    const messages = sandbox.discord.messages(sandbox.discord.channels.announcements);
    const votes = messages.filter(({ embeds }) => embeds.some(({ description }) => description?.includes('voted for')));
    expect(votes).toHaveLength(1);
  });
});

describe('the service in the sandbox', { timeout: 20_000 }, () => {
  const answers = (url: string) =>
    fetch(url).then(
      ({ status }) => status,
      () => 'refused',
    );

  it('is unreachable during an outage and available again afterwards', async () => {
    const sandbox = await wholeSandbox();
    const back = new Promise((resolve) =>
      sandbox.events.on('simulation', () => sandbox.outages.service.isDown || resolve(null)),
    );
    sandbox.outages.service.begin(300);
    expect(await answers(`${sandbox.urls.service}/`)).toBe('refused');
    await back;
    expect(await answers(`${sandbox.urls.service}/`)).toBe(200);
  });

  it('accepts another vote after twelve hours, with credits for both', async () => {
    const sandbox = await wholeSandbox();
    const { delivery } = timelineOf(sandbox);
    expect(await sandbox.service.castVote(vote)).toMatchObject({ recorded: true });
    await delivery(settled);
    expect(await sandbox.service.castVote(vote)).toMatchObject({ recorded: false });
    sandbox.clock.advance(12 * hour);
    expect(await sandbox.service.castVote(vote)).toMatchObject({ recorded: true });
    await delivery(({ id, isSettled }) => id === 2 && isSettled);
    expect((await sandbox.app.ledger.account(mira))?.credits).toBe(20);
  });
});

describe('a sandbox started from code', { timeout: 20_000 }, () => {
  it('needs no options, returns its addresses, and leaves no files behind', async () => {
    const sandbox = await wholeSandbox();
    expect(existsSync(sandbox.directory)).toBe(true);
    for (const url of [sandbox.urls.page, `${sandbox.urls.service}/`, `${sandbox.urls.bot}/readyz`]) {
      expect((await fetch(url)).status).toBe(200);
    }
    await sandbox.stop();
    expect(existsSync(sandbox.directory)).toBe(false);
    await sandbox.stop();
  });
});
