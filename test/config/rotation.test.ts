import { describe, expect, it } from 'vitest';
import { loadConfig, settingsNeedingRestart, withRotatedSecrets } from '../../config/load.ts';
import { botToken } from '../support/bot-token.ts';

const minimal = {
  DISCORD_TOKEN: botToken,
  LOOKUP_BASE_URL: 'https://lists.example/api/v1',
  LOOKUP_SERVER_KEY: 'server-key',
  VOTE_WEBHOOK_SECRET: 'old-secret',
};
const active = loadConfig(minimal);

describe('a rotation', () => {
  it('activates webhook secrets and API keys, and still redacts the old ones', () => {
    const loaded = loadConfig({
      ...minimal,
      VOTE_WEBHOOK_SECRET: 'new-secret',
      PREMIUM_WEBHOOK_SECRET: 'premium-secret',
      VOTE_WEBHOOK_AUTHORIZATION: 'my value',
      LOOKUP_SERVER_KEY: 'new-key',
    });
    const next = withRotatedSecrets(active, loaded);
    expect(next.listings[0]).toMatchObject({
      voteSecrets: ['new-secret'],
      premiumSecrets: ['premium-secret'],
      voteAuthorization: 'my value',
      lookupKey: 'new-key',
    });
    expect(next.secrets).toEqual(expect.arrayContaining(['old-secret', 'server-key', 'new-secret', 'new-key']));
    expect(settingsNeedingRestart(next, loaded)).toEqual([]);
  });

  it('changes no other setting, and lists the changed ones', () => {
    const loaded = loadConfig({
      ...minimal,
      DISCORD_TOKEN: `${botToken}0`,
      OWNER_TOKEN: 'owner',
      PORT: '81',
      CREDITS_PER_VOTE: '99',
      LOOKUP_BOT_KEY: 'bot-key',
      REMINDERS: 'off',
    });
    const next = withRotatedSecrets(active, loaded);
    expect(next).toMatchObject({ discord: { token: botToken }, ownerToken: null, http: { port: 3000 } });
    expect(next.listings).toMatchObject([{ rewards: { base: { perVote: 10 } } }, { lookupKey: null }]);
    expect(settingsNeedingRestart(next, loaded)).toEqual([
      'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID, DISCORD_PUBLIC_KEY',
      'listings, channels, rewards, shop',
      'REMINDERS',
      'HOST, PORT',
      'OWNER_TOKEN',
    ]);
  });

  it('leaves the rewards as they are, and lists them if they changed', () => {
    const community = { DISCORD_GUILD_ID: '1000' };
    const withoutRole = loadConfig({ ...minimal, ...community });
    const withRole = loadConfig({ ...minimal, ...community, VOTER_ROLE_ID: '5', VOTE_WEBHOOK_SECRET: 'new-secret' });
    const next = withRotatedSecrets(withoutRole, withRole);
    expect(next.listings[0]).toMatchObject({ voteSecrets: ['new-secret'], rewards: { voterRole: null } });
    expect(settingsNeedingRestart(next, withRole)).toEqual(['listings, channels, rewards, shop']);
  });

  it('removes the webhook secrets of a removed listing', () => {
    const [server] = active.listings;
    const next = withRotatedSecrets(active, { ...active, listings: active.listings.slice(1) });
    expect(next.listings[0]).toEqual({ ...server, voteSecrets: [], premiumSecrets: [], voteAuthorization: null });
  });
});
