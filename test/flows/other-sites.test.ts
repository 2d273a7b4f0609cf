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
  expect(reply).toContain('You can perhaps vote for **Harbour** on Disurl');
  expect(reply).toContain(`**Quartermaster** on top.gg again <t:${Math.floor((votedAt + 12 * hour) / 1_000)}:R>`);
  expect(reply).toContain('https://top.gg/bot/716390085896962058/vote');
  // Disurl does not say who has voted, so there is nothing to choose.
  expect(await run('claim')).toContain('Balance: **10** credits');
  expect(await run('claim')).toContain('You have claimed it before');
  expect(lines.join('')).not.toContain('no API key is configured');
  expect(lines.join('')).not.toContain('site-key');
});

it('in a community with several listings, "Vote" leads to all of them from announcements, and to one from its reminder', async () => {
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
  expect(textOf(ofOther)).toContain('You can perhaps vote for **Harbour** on Disurl');
  const ofVoter = textOf(await press(announced, 'Vote too', voter));
  const [perhaps, later] = ['You can perhaps vote for **Quartermaster** on top.gg', '**Harbour** on Disurl again <t:'];
  expect(ofVoter.indexOf(perhaps)).toBeGreaterThanOrEqual(0);
  expect(ofVoter.indexOf(later)).toBeGreaterThan(ofVoter.indexOf(perhaps));

  clock.advance(12 * hour + minute - (clock.now() - votedAt));
  await eventually(() => expect(discord.directMessages(voter ?? '')).toHaveLength(1));
  const [reminder] = discord.directMessages(voter ?? '');
  expect(controlsOf(reminder?.components ?? [])[0]).toMatchObject({
    label: 'Vote',
    url: expect.stringContaining('disurl'),
  });
});

it('reminds of all listings in one message, and in the channel for reminders where direct messages are closed', async () => {
  const clock = createOffsetClock();
  const listings = [topgg, disurl].map((each) => ({ ...each, reminderChannelId: defaultGuild({}).announcements.id }));
  const { discord, url, app } = await startOn(listings, {}, clock);
  const [open, closed, unwilling] = discord.members.map(({ id }) => id) as [string, string, string];
  const channelId = discord.channels.announcements;
  await eventually(() => expect(discord.commands()).toHaveLength(app.commandData().length));
  const remind = (userId: string, options: Record<string, string | boolean>) =>
    discord.runCommand({
      name: 'remind',
      options: { state: 'on', ...options },
      userId,
      channelId: discord.channels.general,
    }).settled;
  expect(textOf(await remind(open, { quiet_hours: 'whenever' }))).toContain('I do not know the quiet hours');
  expect(textOf(await remind(open, {}))).not.toContain('mentioned in');
  expect(textOf(await remind(closed, { channel: true }))).toContain(`you are mentioned in <#${channelId}>`);
  await remind(unwilling, {});
  for (const userId of [closed, unwilling]) discord.guild.acceptDirectMessages(userId, false);
  const votedAt = clock.now();
  const vote = async (userId: string) => {
    const send = (name: string, authorization: string, body: object) =>
      fetch(`${url}/webhooks/${name}`, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) });
    const ofBot = { bot: topgg.id, user: userId, type: 'upvote' };
    const answers = [
      await send('harbour', 'Basic token', { type: 'vote', guildId: disurl.id, userId }),
      await send('quartermaster', 'whs_secret', ofBot),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  };
  for (const userId of [open, closed, unwilling]) await vote(userId);
  const advanceTo = (ms: number) => clock.advance(ms - (clock.now() - votedAt));

  advanceTo(12 * hour + minute);
  await eventually(() => expect(discord.directMessages(open)).toHaveLength(1));
  const [reminder] = discord.directMessages(open);
  const rows = (reminder?.components ?? []).map((row) =>
    controlsOf([row]).map((each) => 'label' in each && each.label),
  );
  expect(rows).toEqual([
    ['Vote on Disurl', 'Vote on top.gg'],
    ['In 1 hour', 'In 6 hours', 'Stop'],
  ]);
  expect(textOf(reminder)).toContain('**Harbour (Disurl), Quartermaster (top.gg)** look forward to your vote.');

  await eventually(() => expect(discord.messages(channelId)).toHaveLength(1));
  const [mentioned] = discord.messages(channelId);
  expect(mentioned).toMatchObject({ content: `<@${closed}>`, mentions: [{ id: closed }] });
  expect(textOf(mentioned)).toContain('look forward to your vote');
  // What others may press does nothing to the member.
  expect(controlsOf(mentioned?.components ?? []).every((each) => 'url' in each)).toBe(true);

  // Nothing is sent to a member who is known to accept nothing, and the next reminder goes to the channel at once.
  const tried = () => discord.requests.filter(({ status }) => status === 403).length;
  await eventually(() => expect(tried()).toBe(2));
  await vote(closed);
  advanceTo(25 * hour);
  await eventually(() => expect(discord.messages(channelId)).toHaveLength(2));
  expect(tried()).toBe(2);
  expect(discord.directMessages(open)).toHaveLength(1);
});
