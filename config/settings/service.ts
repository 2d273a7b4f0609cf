import { headerSecretForm, pasted, secretForm } from '@tallyhook/platform/pasted-forms';
import { announceChannelId } from '../../src/core/settings/listing-settings.ts';
import { apiKey } from '../../src/core/settings/value-schemas.ts';
import { channelId, expectedId, group, httpUrl, listOf, setting } from './setting.ts';

const expectedSecrets = "the secret from the service's dashboard; separate several with commas, without empty ones";

/** The path of the API is certain after an address without one. */
function withApiPath(url: string): string {
  return /^https?:\/\/[^/?#]+$/.test(url) ? `${url}/api/v1` : url;
}

export const service = group('The listing service', {
  LOOKUP_BASE_URL: setting({
    schema: httpUrl.transform(withApiPath).refine((url) => url.endsWith('/api/v1')),
    expected:
      'the http(s) URL of the lookup API, ending in /api/v1 (a listing on top.gg or another site needs none: leave it out)',
    wish: 'votes of my listing service',
    description:
      'Address of the lookup API of the listing service; ends in `/api/v1`. Needed with an API key, and to link a listing of the service in Discord. Without it, `/canvote` knows the votes that were delivered, and `/reviews` and `/claim` are not offered.',
  }),
  LOOKUP_SERVER_KEY: setting({
    schema: apiKey,
    expected: "the server's API key, without spaces (service's dashboard: Edit server → Advanced setup)",
    secret: true,
    wish: 'the key of my server here instead of in Discord',
    description:
      'API key of the server (dashboard → Edit server → Advanced setup), unless it is linked in Discord with [`/setup`](setup.md#in-discord), which on PostgreSQL needs `SETTINGS_KEY`. A command that nothing can serve is not offered.',
  }),
  LOOKUP_BOT_KEY: setting({
    schema: apiKey,
    expected: "the bot's API key from the service's dashboard, without spaces",
    secret: true,
    wish: 'the key of my bot here instead of in Discord',
    description:
      'API key of the bot from the dashboard, unless it is linked in Discord with [`/setup`](setup.md#in-discord), which on PostgreSQL needs `SETTINGS_KEY`. A command that nothing can serve is not offered.',
  }),
  SITE_API_URL: setting({
    schema: httpUrl,
    expected: 'the http(s) address that replaces the origin of every request to the API of another listing site',
    wish: 'a proxy in front of other listing sites',
    description:
      'Replaces the origin of every request to the API of [another listing site](sites.md), for tests and proxies.',
  }),
});

export const webhooks = group('Webhooks', {
  TOPGG_INTEGRATION_SECRET: setting({
    schema: pasted(secretForm),
    isFreeText: true,
    expected: "the secret of your integration, as top.gg's dashboard shows it",
    secret: true,
    wish: "top.gg's *Connect*",
    description:
      'Secret of your integration at top.gg, whose owners then link their listings with [*Connect*](sites.md#connect-at-topgg) there. Its address at top.gg is `/connect/topgg`. Needs `PUBLIC_URL`.',
  }),
  VOTE_WEBHOOK_SECRET: setting({
    schema: listOf(pasted(secretForm)),
    isFreeText: true,
    expected: expectedSecrets,
    secret: true,
    wish: 'votes delivered to `/webhooks/vote`',
    description:
      'Secret of the vote webhook from the dashboard. Several, separated by commas, are valid at once, so that [one can be changed](#changing-a-secret) without a loss. `/setup` makes those of listings that it links.',
  }),
  PREMIUM_WEBHOOK_SECRET: setting({
    schema: listOf(pasted(secretForm)),
    isFreeText: true,
    expected: expectedSecrets,
    secret: true,
    wish: 'premium delivered to `/webhooks/premium`',
    description:
      'Secret of the premium webhook from the dashboard. Several, separated by commas, are valid at once, so that [one can be changed](#changing-a-secret) without a loss. `/setup` makes those of listings that it links.',
  }),
  VOTE_WEBHOOK_AUTHORIZATION: setting({
    schema: pasted(headerSecretForm),
    isFreeText: true,
    expected: 'the complete Authorization header that the service sends',
    secret: true,
    wish: 'votes of a service that does not sign',
    description: 'Accept unsigned server votes with exactly this Authorization header.',
  }),
});

export const channels = group('Channels', {
  ANNOUNCE_CHANNEL_ID: setting({
    schema: channelId,
    expected: expectedId,
    wish: 'votes announced',
    description: announceChannelId.description,
  }),
  PREMIUM_CHANNEL_ID: setting({
    schema: channelId,
    expected: expectedId,
    wish: 'premium announced elsewhere',
    description: 'Id of the channel for premium; `ANNOUNCE_CHANNEL_ID` otherwise.',
  }),
});
