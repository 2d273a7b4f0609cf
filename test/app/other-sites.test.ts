import { writeFileSync } from 'node:fs';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { signDelivery } from '../../src/webhook/sites/authenticate.ts';
import { findSite } from '../../src/webhook/sites/index.ts';
import { startInstallation } from '../support/start-installation.ts';

it('a bot that is on other sites alone pays and announces votes, without a lookup API', async () => {
  const path = `${tempDir()}/listings.json`;
  const topgg = {
    ...{ name: 'my-bot', kind: 'bot', id: '716390085896962058', site: 'topgg', voteSecrets: ['whs_secret'] },
    announcements: { text: '{mention} voted on {site}' },
  };
  writeFileSync(path, JSON.stringify({ listings: [topgg] }));
  const none = {
    LOOKUP_BASE_URL: '',
    LOOKUP_SERVER_KEY: '',
    LOOKUP_BOT_KEY: '',
    VOTE_WEBHOOK_SECRET: '',
    PREMIUM_WEBHOOK_SECRET: '',
  };
  const { url, discord, lines } = await startInstallation({ ...none, TALLYHOOK_CONFIG: path });

  const site = findSite({ id: 'topgg' });
  const vote = {
    kind: 'bot',
    targetId: topgg.id,
    userId: discord.members[0]?.id ?? '',
    at: Date.now(),
    id: '1',
    isTest: false,
  } as const;
  const { headers, body } = signDelivery(site.schemes[0], JSON.stringify(site.write(vote)), 'whs_secret', Date.now());
  const send = async () =>
    (await fetch(`${url}/webhooks/my-bot`, { method: 'POST', headers: { ...headers }, body })).json();
  expect(await send()).toEqual({ received: true, outcome: 'recorded' });
  expect(await send()).toEqual({ received: true, outcome: 'duplicate' });
  await expect.poll(() => discord.messages(discord.channels.announcements).length).toBe(1);
  const [announcement] = discord.messages(discord.channels.announcements);
  expect(announcement?.embeds[0]?.description).toContain(`<@${vote.userId}> voted on top.gg`);
  expect(lines.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
});
