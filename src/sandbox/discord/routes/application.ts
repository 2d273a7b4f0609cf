import { z } from 'zod';
import { hour } from '../../../platform/durations.ts';
import type { DiscordState } from '../discord-state.ts';
import type { OAuth } from '../oauth.ts';
import { ok, type Route, route } from '../route.ts';
import { url } from '../schema-parts.ts';
import { validate } from '../validate.ts';

/** The fields that can be changed. Discord: "Edit Current Application". */
const applicationChanges = z
  .object({
    role_connections_verification_url: url.nullable(),
    integration_types_config: z.record(z.enum(['0', '1']), z.object({ oauth2_install_params: z.unknown().optional() })),
  })
  .partial();

/** The bot's application and its gateway URL. Discord: "Application", "Get Gateway Bot". */
export function applicationRoutes(state: DiscordState, gatewayUrl: string, oauth: OAuth): Route[] {
  const defaults = {
    id: state.applicationId,
    name: state.bot.username,
    icon: null,
    description: 'Exists on this machine only.',
    bot_public: true,
    bot_require_code_grant: false,
    bot: state.bot,
    verify_key: '0'.repeat(64),
    type: null,
    flags: 0,
    flags_new: '0',
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: ['bot', 'applications.commands'],
    team: null,
    owner: state.user(state.guild().owner_id),
    approximate_guild_count: 1,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    integration_types_config: { 0: {} },
  };
  /** With what the bot has changed. */
  let application: Readonly<Record<string, unknown>> = defaults;
  return [
    route('GET', '/gateway', () => ok({ url: gatewayUrl }), { needsBot: false }),
    route('GET', '/gateway/bot', () =>
      ok({
        url: gatewayUrl,
        shards: state.requiredShards,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 24 * hour, max_concurrency: 1 },
      }),
    ),
    route('GET', '/applications/@me', () => ok(application)),
    route('PATCH', '/applications/@me', ({ body }) => {
      application = { ...application, ...validate(applicationChanges, body) };
      return ok(application);
    }),
    route('GET', '/oauth2/applications/@me', () => ok(application)),
    route(
      'GET',
      '/users/@me',
      ({ authorization }) => {
        const account = { verified: true, mfa_enabled: false };
        if (authorization?.startsWith('Bearer ') !== true) return ok({ ...state.bot, ...account, locale: 'en-US' });
        const userId = oauth.memberOf(authorization, 'identify');
        return ok({ ...state.user(userId), ...account, locale: state.localeOf(userId) });
      },
      { needsBot: false },
    ),
  ];
}
