import { eventually } from '@tallyhook/platform/testing/eventually';
import { serve } from '@tallyhook/platform/testing/serve';
import { expect, test } from 'vitest';
import { voteSecret } from '../../support/listings.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { settings } from '../../support/settings.ts';
import { postVote, startApp } from '../../support/start-app.ts';

const member = (index: number) => String(80_351_110_224_678_912n + BigInt(index));
const deadSecret = 'votes-of-the-pier';

/** An endpoint, and who has voted by the requests that it got. A dead one never answers. */
async function endpoint(state: 'healthy' | 'dead') {
  const voters: string[] = [];
  const url = await serve((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      voters.push((JSON.parse(body) as { data: { userId: string } }).data.userId);
      if (state === 'healthy') response.writeHead(204).end();
    });
  });
  return { voters, webhook: { url, secrets: ['the-secret-of-the-webhook'], events: ['vote.recorded'] } };
}

test('endpoints that never answer delay neither another one, of any community, nor Discord', async () => {
  const discord = await localDiscord({ rateLimits: false });
  const [own, beside] = [await endpoint('healthy'), await endpoint('healthy')];
  const dead = await Promise.all(Array.from({ length: 9 }, () => endpoint('dead')));
  const listing = { kind: 'server', lookupKey: 'key-for-tests', rewards: { vote: 10 } };
  const [guildId, otherGuildId] = [discord.guildId, '613425648685547541'];
  const announceChannelId = discord.channels.announcements;
  const {
    VOTE_WEBHOOK_SECRET: _vote,
    PREMIUM_WEBHOOK_SECRET: _premium,
    LOOKUP_SERVER_KEY: _key,
    ...shared
  } = settings(discord);
  const environment = environmentWith([
    {
      ...listing,
      name: 'harbour',
      guildId,
      id: guildId,
      announceChannelId,
      voteSecrets: [voteSecret],
      webhooks: [own.webhook],
    },
    {
      ...{ ...listing, name: 'pier', guildId: otherGuildId, id: otherGuildId, voteSecrets: [deadSecret] },
      webhooks: [...dead, beside].map(({ webhook }) => webhook),
    },
  ]);
  const roles = { TALLYHOOK_ROLES: 'receive,announce', WEBHOOK_PRIVATE_TARGETS: 'on' };
  const { url } = await startApp({ ...environment, ...shared, ...roles });
  const members = Array.from({ length: 30 }, (_, index) => member(index));
  const startedAt = performance.now();
  // Of the community with the dead endpoints first.
  for (const userId of members) await postVote(url, userId, { secret: deadSecret });
  for (const userId of members) await postVote(url, userId);
  await eventually(() => {
    expect(beside.voters.toSorted()).toEqual(members);
    expect(own.voters.toSorted()).toEqual(members);
    const announced = JSON.stringify(discord.messages(announceChannelId));
    for (const userId of members) expect(announced).toContain(`<@${userId}>`);
  });
  // Requests to the dead ones end after 15 s.
  expect(performance.now() - startedAt).toBeLessThan(14_000);
  expect(dead.map(({ voters }) => voters.length)).toEqual(dead.map(() => 1));
});
