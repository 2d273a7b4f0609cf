import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { Message } from 'local-discord';
import { expect, it, onTestFinished } from 'vitest';
import { defaultGuild } from '../../packages/local-discord/src/default-guild.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { json, startFakeService } from '../support/fake-service.ts';
import { environmentWith } from '../support/listings-file.ts';
import { textOf } from '../support/message-text.ts';
import { startInstallation } from '../support/start-installation.ts';

const topgg = {
  ...{ name: 'quartermaster', title: 'Quartermaster', kind: 'bot', id: '716390085896962058', site: 'topgg' },
  voteSecrets: ['whs_secret'],
};
const disurl = {
  ...{ name: 'harbour', title: 'Harbour', kind: 'server', id: '716390085896962059', site: 'disurl' },
  voteSecrets: ['token'],
};

/** An installation with these listings alone, and without the service. */
function startOn(listings: readonly object[], changes: Record<string, string>, clock?: Clock) {
  const unset = [
    ...['LOOKUP_BASE_URL', 'LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', 'VOTE_WEBHOOK_SECRET'],
    ...['PREMIUM_WEBHOOK_SECRET', 'ANNOUNCE_CHANNEL_ID', 'PREMIUM_CHANNEL_ID'],
  ];
  const { TALLYHOOK_CONFIG = '' } = environmentWith(listings);
  const none = Object.fromEntries(unset.map((name) => [name, '']));
  return startInstallation({ ...none, TALLYHOOK_CONFIG, ...changes }, clock);
}

it('a member of a community on other sites alone sees where to vote, and claims a vote that only a site knows', async () => {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  const votedAt = Date.now() - hour;
  const [created_at, expires_at] = [votedAt, votedAt + 12 * hour].map((at) => new Date(at).toISOString());
  site.respondWith((response, request) => {
    const isHistory = request.url?.includes('startDate');
    json(200, isHistory ? { data: [], cursor: null } : { created_at, expires_at, weight: 1 })(response, request);
  });
  const { discord, lines } = await startOn([{ ...topgg, siteKey: 'site-key' }, disurl], { SITE_API_URL: site.origin });
  const names = () => discord.commands().map(({ name }) => name);
  await eventually(() => expect(names()).toEqual(expect.arrayContaining(['canvote', 'claim'])));
  const use = { userId: discord.members[0]?.id ?? '', channelId: discord.channels.announcements };
  const run = async (name: string, options = {}) =>
    JSON.stringify(await discord.runCommand({ ...use, name, options }).settled);

  const reply = await run('canvote');
  expect(reply).toContain('You can perhaps vote for **Harbour (Disurl)**');
  expect(reply).toContain(`**Quartermaster (top.gg)** again <t:${Math.floor((votedAt + 12 * hour) / 1_000)}:R>`);
  expect(reply).toContain('https://top.gg/bot/716390085896962058/vote');
  // Disurl does not say who has voted, so there is nothing to choose.
  expect(await run('claim')).toContain('Balance: **10** credits');
  expect(await run('claim')).toContain('You have claimed it before');
  expect(lines.join('')).not.toContain('no API key is configured');
  expect(lines.join('')).not.toContain('site-key');
});

it('in a community with several listings, "Vote" leads to all of them, from announcements and reminders', async () => {
  const clock = createOffsetClock();
  const own = { announcements: { voteButton: true }, announceChannelId: defaultGuild({}).announcements.id };
  const listings = [topgg, disurl].map((each) => ({ ...each, ...own }));
  const { discord, url, app } = await startOn(listings, {}, clock);
  const [voter, other] = discord.members.map(({ id }) => id);
  const channelId = discord.channels.announcements;
  await eventually(() => expect(discord.commands()).toHaveLength(app.commandData().length));
  await discord.runCommand({ name: 'remind', options: { state: 'on' }, userId: voter ?? '', channelId }).settled;
  const vote = { type: 'vote', guildId: disurl.id, userId: voter };
  const headers = { authorization: 'Basic token' };
  const votedAt = clock.now();
  await fetch(`${url}/webhooks/harbour`, { method: 'POST', headers, body: JSON.stringify(vote) });
  const press = (message: Message | undefined, label: string, userId: string | undefined) => {
    const button = controlsOf(message?.components ?? []).find((each) => 'label' in each && each.label === label);
    expect(button?.custom_id).toBe('tallyhook:vote/list:');
    return discord.clickButton(message?.id ?? '', button?.custom_id ?? '', userId ?? '').settled;
  };

  await eventually(() => expect(discord.messages(channelId)).toHaveLength(1));
  const [announced] = discord.messages(channelId);
  const ofOther = await press(announced, 'Vote too', other);
  expect(ofOther.flags & 64).toBe(64);
  expect(textOf(ofOther)).toContain('You can perhaps vote for **Harbour (Disurl)**');
  const ofVoter = textOf(await press(announced, 'Vote too', voter));
  const [perhaps, later] = ['You can perhaps vote for **Quartermaster (top.gg)**', '**Harbour (Disurl)** again <t:'];
  expect(ofVoter.indexOf(perhaps)).toBeGreaterThanOrEqual(0);
  expect(ofVoter.indexOf(later)).toBeGreaterThan(ofVoter.indexOf(perhaps));

  clock.advance(12 * hour + minute - (clock.now() - votedAt));
  await eventually(() => expect(discord.directMessages(voter ?? '')).toHaveLength(1));
  const fromReminder = textOf(await press(discord.directMessages(voter ?? '')[0], 'Vote', voter));
  expect(fromReminder).toContain('You can perhaps vote for **Harbour (Disurl)**');
});
