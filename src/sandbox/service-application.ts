import { randomBytes } from 'node:crypto';
import { callbackPath, type DiscordApplication } from '../service/discord-sign-in/discord-accounts.ts';
import type { LocalDiscord } from './discord/local-discord.ts';
import type { OAuthApplication } from './discord/oauth.ts';

/** The application by which members sign in to the service with the local Discord. */
export interface ServiceApplication {
  /** For the service, which starts before Discord. */
  readonly forService: DiscordApplication;
  /** For Discord. */
  registration(serviceUrl: string): OAuthApplication;
  /** Discord has started. */
  connect(discord: LocalDiscord): void;
}

const clientId = '1190000000000000003';

export function createServiceApplication(): ServiceApplication {
  const clientSecret = randomBytes(24).toString('base64url');
  let apiUrl = '';
  return {
    forService: { clientId, clientSecret, apiUrl: () => apiUrl },
    registration: (serviceUrl) => ({
      id: clientId,
      name: 'Listing service',
      clientSecret,
      redirectUris: [serviceUrl + callbackPath],
    }),
    connect(discord) {
      apiUrl = discord.apiUrl;
    },
  };
}
