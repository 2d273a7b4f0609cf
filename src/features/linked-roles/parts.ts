import { minute } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import { handle } from '../../core/outbox/perform.ts';
import { calendarOf } from '../../core/tally/community.ts';
import { memoizedApplicationId } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { createDiscordOAuth } from './discord-oauth.ts';
import { roleConnectionKind } from './effects.ts';
import { createLinkedRoles } from './linked-roles.ts';
import { createMemberTokens } from './member-tokens.ts';
import { roleConnectionQueue } from './role-connection.ts';
import { createLinkRoutes, linkPath } from './routes.ts';
import type { LinkedMembers } from './store.ts';

/** How often to look for members whose values have changed without a vote (ms). */
const checkEveryMs = minute;

export { publish } from './publication.ts';

/** Linked roles with their pages; null if they are off: without `DISCORD_CLIENT_SECRET`, `PUBLIC_URL` or `DISCORD_TOKEN`. */
function createLinkedRolesService({
  store,
  config,
  languages,
  encryption,
  directory,
  nudge,
  clock,
  log,
}: LinkedRolesContext) {
  const { discord, publicUrl, clientSecret } = config;
  if (clientSecret === null || publicUrl === null || discord.token === '') return null;
  const members = store.linkedRoles;
  const dayIn = (accountId: AccountId) => {
    const { communityId } = partsOf(accountId);
    const listing = directory.listings.find(({ community }) => community.id === communityId);
    return calendarOf(listing?.community ?? { timeZone: 'UTC' }).dayAt(clock.now());
  };
  const oauth = createDiscordOAuth({
    apiUrl: discord.apiUrl,
    clientSecret,
    redirectUrl: `${publicUrl}${linkPath}/callback`,
    applicationId: memoizedApplicationId(createDiscordRest(discord)),
  });
  const tokens = createMemberTokens({ members, oauth, encryption, clock });
  const linkedRoles = createLinkedRoles({ members, tokens, oauth, dayIn, languages, clock, log });
  const onLinked = (userId: string) => nudge([roleConnectionQueue(userId)]);
  const { start, stop } = createLoop({
    async round(signal) {
      let last: string | null = '';
      while (last !== null && !signal.aborted) last = await linkedRoles.checkAfter(last);
    },
    pauseMs: checkEveryMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'linked roles could not be checked; retrying'),
    clock,
  });

  const { update, unlink } = linkedRoles;
  const routes = createLinkRoutes({ oauth, tokens, clientSecret, publicUrl, onLinked, languages, clock, log });
  return { update, unlink, routes, start, stop };
}

type LinkedRolesContext = ServicesContext & {
  readonly store: { readonly linkedRoles: LinkedMembers };
  readonly encryption: Encryption;
};

export function createServices(context: LinkedRolesContext) {
  const linkedRoles = createLinkedRolesService(context);
  const unlink = linkedRoles?.unlink ?? (async () => false);
  return {
    shared: { linkedRoles, unlink },
    ...(linkedRoles && { routes: linkedRoles.routes }),
  } satisfies FeatureServices;
}

export function create({
  linkedRoles,
}: PartsContext & {
  /** Null if they are off. */
  readonly linkedRoles: ReturnType<typeof createLinkedRolesService>;
}) {
  return {
    // After they were switched off, there is nothing to do.
    effects: [handle(roleConnectionKind, linkedRoles?.update ?? (async () => ({ outcome: 'done' })))],
    loops: linkedRoles === null ? [] : [linkedRoles],
  } satisfies FeatureParts;
}
