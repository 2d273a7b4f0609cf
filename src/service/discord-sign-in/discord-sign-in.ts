import type { Clock } from '../../platform/clock.ts';
import {
  type AuthorizationAttempts,
  createAuthorizationAttempts,
} from '../../platform/discord-oauth/authorization-attempts.ts';
import { createDiscordAccounts, type DiscordAccounts, type DiscordApplication } from './discord-accounts.ts';

/** What the pages need to sign members in with Discord. */
export interface DiscordSignIn {
  readonly accounts: DiscordAccounts;
  readonly attempts: AuthorizationAttempts;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
}

/** @param options.key random; the same in all processes of the service */
export function createDiscordSignIn(
  application: DiscordApplication,
  options: { readonly origin: string; readonly key: string; readonly clock: Clock },
): DiscordSignIn {
  const { origin, key, clock } = options;
  return {
    origin,
    accounts: createDiscordAccounts(application, { origin, clock }),
    attempts: createAuthorizationAttempts({
      ...{ secret: key, purpose: 'sign-in', cookieName: 'tallyhook_sign_in', path: '/' },
      ...{ secure: origin.startsWith('https:'), clock },
    }),
  };
}
