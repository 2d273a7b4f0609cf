import { hour } from '@tallyhook/platform/durations';
import { z } from 'zod';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse } from '../errors.ts';
import type { OutgoingInteractions } from '../outgoing-interactions.ts';
import { done, ok, type Route, route, routeWith } from '../rest.ts';
import { url, validate } from '../validate.ts';

/** The fields that can be changed. Discord: "Edit Current Application". */
const applicationEdit = z
  .object({
    interactions_endpoint_url: z.url().nullable(),
    role_connections_verification_url: url.nullable(),
    integration_types_config: z.record(z.enum(['0', '1']), z.object({ oauth2_install_params: z.unknown().optional() })),
  })
  .partial();

const publicRoute = routeWith({ needsBot: false });
const memberRoute = routeWith({ acceptsMember: true });

/** The bot's application, OAuth2 and linked roles. Discord: "Application", "OAuth2", "User". */
export function applicationRoutes(
  { state, oauth, connections }: DiscordStore,
  outgoing: OutgoingInteractions,
  gatewayUrl: string,
): Route[] {
  /** Fields that the bot has changed, apart from the endpoint. */
  let edited: Readonly<Record<string, unknown>> = {};
  const application = () => ({
    id: state.applicationId,
    name: state.bot.username,
    icon: null,
    description: 'Exists on this machine only.',
    bot_public: true,
    bot_require_code_grant: false,
    bot: state.bot,
    verify_key: outgoing.publicKey,
    type: null,
    flags: 0,
    flags_new: '0',
    redirect_uris: [],
    interactions_endpoint_url: outgoing.url,
    role_connections_verification_url: null,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: ['bot', 'applications.commands'],
    team: null,
    owner: state.user(state.guild().owner_id),
    approximate_guild_count: 1,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    integration_types_config: { 0: {} },
    ...edited,
  });
  const check = ({ applicationId }: Readonly<Record<string, string>>) => {
    if (applicationId !== state.applicationId) throw errorResponse.unknownApplication();
  };
  const ownRoute = routeWith({ check });
  const connectionRoute = routeWith({ needsBot: false, check });
  const userOf = (id = '') => {
    const user = state.user(id) ?? (id === state.bot.id ? state.bot : undefined);
    if (user === undefined) throw errorResponse.unknownUser();
    return user;
  };
  const memberOf = ({ authorization }: { readonly authorization: string | undefined }) =>
    oauth.memberOfBot(authorization, 'role_connections.write');
  const metadataPath = '/applications/:applicationId/role-connections/metadata';
  const connectionPath = '/users/@me/applications/:applicationId/role-connection';
  return [
    publicRoute('GET', '/gateway', () => ok({ url: gatewayUrl })),
    route('GET', '/gateway/bot', () =>
      ok({
        url: gatewayUrl,
        shards: state.requiredShards,
        session_start_limit: {
          total: 1000,
          remaining: state.remainingSessions,
          reset_after: 24 * hour,
          max_concurrency: 1,
        },
      }),
    ),
    route('GET', '/applications/@me', () => ok(application())),
    route('PATCH', '/applications/@me', async ({ body }) => {
      const { interactions_endpoint_url: endpoint, ...changes } = validate(applicationEdit, body);
      if (endpoint !== undefined) await outgoing.setUrl(endpoint);
      edited = { ...edited, ...changes };
      return ok(application());
    }),
    route('GET', '/oauth2/applications/@me', () => ok(application())),
    memberRoute('GET', '/users/@me', ({ authorization }) => {
      const account = { verified: true, mfa_enabled: false };
      if (authorization?.startsWith('Bearer ') !== true) return ok({ ...state.bot, ...account, locale: 'en-US' });
      const userId = oauth.memberOf(authorization, 'identify');
      return ok({ ...state.user(userId), ...account, locale: state.localeOf(userId) });
    }),
    route('GET', '/users/:userId', ({ ids }) => ok(userOf(ids.userId))),
    publicRoute('POST', '/oauth2/token', ({ body }) => ok(oauth.issueTokens(body))),
    publicRoute('POST', '/oauth2/token/revoke', ({ body }) => {
      oauth.revokeToken(body);
      return ok({});
    }),
    ownRoute('GET', metadataPath, () => ok(connections.records)),
    ownRoute('PUT', metadataPath, ({ body }) => ok(connections.saveRecords(body))),
    connectionRoute('GET', connectionPath, (call) => ok(connections.connectionOf(memberOf(call)))),
    connectionRoute('PUT', connectionPath, (call) => ok(connections.saveConnection(memberOf(call), call.body))),
    connectionRoute('DELETE', connectionPath, (call) => done(connections.deleteConnection(memberOf(call)))),
  ];
}
