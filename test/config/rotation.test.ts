import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { settingsNeedingRestart, withRotatedSecrets } from '../../config/rotation.ts';

const least = {
  DISCORD_TOKEN: 'discord-token',
  LOOKUP_BASE_URL: 'https://lists.example/api/v1',
  LOOKUP_SERVER_KEY: 'server-key',
  VOTE_WEBHOOK_SECRET: 'old-secret',
};
const before = loadConfig(least);

describe('a rotation', () => {
  it('takes over webhook secrets and API keys, and goes on hiding the old ones', () => {
    const read = loadConfig({
      ...least,
      VOTE_WEBHOOK_SECRET: 'new-secret',
      PREMIUM_WEBHOOK_SECRET: 'premium-secret',
      VOTE_WEBHOOK_AUTHORIZATION: 'my value',
      LOOKUP_SERVER_KEY: 'new-key',
    });
    const next = withRotatedSecrets(before, read);
    expect(next.listings[0]).toMatchObject({
      voteSecrets: ['new-secret'],
      premiumSecrets: ['premium-secret'],
      voteAuthorization: 'my value',
      lookupKey: 'new-key',
    });
    expect(next.secrets).toEqual(expect.arrayContaining(['old-secret', 'server-key', 'new-secret', 'new-key']));
    expect(settingsNeedingRestart(next, read)).toEqual([]);
  });

  it('leaves everything else as it was, and names it', () => {
    const read = loadConfig({
      ...least,
      DISCORD_TOKEN: 'another',
      OWNER_TOKEN: 'owner',
      PORT: '81',
      CREDITS_PER_VOTE: '99',
      LOOKUP_BOT_KEY: 'bot-key',
    });
    const next = withRotatedSecrets(before, read);
    expect(next).toMatchObject({ discord: { token: 'discord-token' }, ownerToken: null, http: { port: 3000 } });
    expect(next.listings).toMatchObject([{ rules: { perVote: 10 } }, { lookupKey: null }]);
    expect(settingsNeedingRestart(next, read)).toEqual([
      'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID',
      'the listings, their channels and credits',
      'HOST, PORT',
      'OWNER_TOKEN',
    ]);
  });

  it('leaves a listing that is gone without any webhook secret', () => {
    const [server] = before.listings;
    const next = withRotatedSecrets(before, { ...before, listings: before.listings.slice(1) });
    expect(next.listings[0]).toEqual({ ...server, voteSecrets: [], premiumSecrets: [], voteAuthorization: null });
  });
});
