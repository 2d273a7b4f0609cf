import { expect, it, onTestFinished } from 'vitest';
import { hour } from '../../src/platform/durations.ts';
import { json, startFakeService } from '../lookup/fake-service.ts';
import { eventually } from '../support/eventually.ts';
import { environmentWith } from '../support/listings-file.ts';
import { startInstallation } from '../support/start-installation.ts';

it('a member of a community on other sites alone sees where to vote, and claims a vote that only a site knows', async () => {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  const votedAt = Date.now() - hour;
  const [created_at, expires_at] = [votedAt, votedAt + 12 * hour].map((at) => new Date(at).toISOString());
  site.respondWith((response, request) => {
    const isHistory = request.url?.includes('startDate');
    json(200, isHistory ? { data: [], cursor: null } : { created_at, expires_at, weight: 1 })(response, request);
  });
  const topgg = { name: 'quartermaster', kind: 'bot', id: '716390085896962058', site: 'topgg', siteKey: 'site-key' };
  const disurl = { name: 'harbour', kind: 'server', id: '716390085896962059', site: 'disurl', voteSecrets: ['token'] };
  const { TALLYHOOK_CONFIG = '' } = environmentWith([{ ...topgg, voteSecrets: ['whs_secret'] }, disurl]);
  const unset = ['LOOKUP_BASE_URL', 'LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', 'VOTE_WEBHOOK_SECRET'];
  const others = ['PREMIUM_WEBHOOK_SECRET', 'ANNOUNCE_CHANNEL_ID', 'PREMIUM_CHANNEL_ID'];
  const { discord, lines } = await startInstallation({
    ...Object.fromEntries([...unset, ...others].map((name) => [name, ''])),
    TALLYHOOK_CONFIG,
    SITE_API_URL: site.origin,
  });
  await eventually(() => expect(JSON.stringify(discord.commands())).toMatch(/"canvote".*"claim"/));
  const use = { userId: discord.members[0]?.id ?? '', channelId: discord.channels.announcements };
  const run = async (name: string, options = {}) =>
    JSON.stringify(await discord.runCommand({ ...use, name, options }).settled);

  const reply = await run('canvote');
  expect(reply).toContain('You can perhaps vote for **harbour (Disurl)**');
  expect(reply).toContain(`**quartermaster (top.gg)** again <t:${Math.floor((votedAt + 12 * hour) / 1_000)}:R>`);
  expect(reply).toContain('https://top.gg/bot/716390085896962058/vote');
  // Disurl does not say who has voted, so there is nothing to choose.
  expect(await run('claim')).toContain('Balance: **10** credits');
  expect(await run('claim')).toContain('You have claimed it before');
  expect(lines.join('')).not.toContain('no API key is configured');
  expect(lines.join('')).not.toContain('site-key');
});
