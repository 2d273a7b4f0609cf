import { isDeepStrictEqual } from 'node:util';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { codeIn, createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthClient, OAuthError, type Tokens } from '@tallyhook/platform/discord-oauth/oauth-client';
import { hour, minute, second } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { html } from '@tallyhook/platform/web/html';
import { plainPages, sendPlainPage } from '@tallyhook/platform/web/plain-page';
import type { Express, Request, Response } from 'express';
import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import { type KeyState, saveSealed } from '../../core/store/settings/sealed.ts';
import { calendarOf } from '../../core/tally/community.ts';
import { memoizedApplicationId } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import type { TextIn, Texts } from '../../texts/texts.ts';
import type { ServicesContext } from '../parts.ts';
import { type RoleConnectionUpdate, roleConnectionQueue } from './role-connection.ts';
import { type LinkedMember, type LinkedMembers, type SealedTokens, type StoredValues, tokenContext } from './store.ts';

/**
 * The values of a member for linked roles, as Discord stores them. A connection belongs to a member and an application,
 * not to a guild, so it covers all communities of the installation: the streak is the longest current one in any
 * (days).
 * @param dayIn the current day of an account's community (day number)
 */
function memberValues({ accounts, hasPremium }: StoredValues, dayIn: (accountId: AccountId) => number) {
  const lastVotes = accounts.flatMap((account) => Object.values(account.lastVotes));
  const streaks = accounts.map(({ accountId, streak }) => (dayIn(accountId) <= streak.lastDay ? streak.days : 0));
  return {
    votes: accounts.reduce((sum, { votes }) => sum + votes, 0),
    streak: Math.max(0, ...streaks),
    lastVoteAt: lastVotes.length === 0 ? null : Math.max(...lastVotes),
    hasPremium,
  };
}

/** The body of a role connection, by Discord's documentation. The keys are those of {@link roleConnectionRecords}. */
function connectionBody({ votes, streak, lastVoteAt, hasPremium }: ReturnType<typeof memberValues>, texts: Texts) {
  return {
    platform_name: texts.text('linkedRoles.platform'),
    metadata: {
      votes: String(votes),
      streak: String(streak),
      ...(lastVoteAt === null ? {} : { last_vote: new Date(lastVoteAt).toISOString() }),
      premium: hasPremium ? '1' : '0',
    },
  } satisfies RoleConnectionBody;
}

/** How often to look for members whose values have changed without a vote (ms). */
const checkEveryMs = minute;
const busyRetryMs = 3 * second;
/** An update that was enqueued and has not succeeded for this long is enqueued again (ms). */
const repeatAfterMs = hour;
const membersPerPage = 500;

interface LinkedRolesContext extends Pick<ServicesContext, 'languages' | 'directory' | 'nudge' | 'clock' | 'log'> {
  readonly store: { readonly linkedRoles: LinkedMembers; readonly settings: KeyState };
  readonly encryption: Encryption;
  readonly config: Pick<ServicesContext['config'], 'discord'>;
}

interface Secrets {
  readonly clientSecret: string;
  readonly publicUrl: string;
}

/** Keeps what Discord knows of linked members as it is in the ledger. */
export function createLinkedRoles(context: LinkedRolesContext, secrets: Secrets) {
  const { store, directory, languages, clock, log } = context;
  const members = store.linkedRoles;
  const oauth = new DiscordOAuth(context, secrets);
  const tokens = createMemberTokens(oauth, context);

  /** The current day of an account's community (day number). */
  function dayIn(accountId: AccountId): number {
    const { communityId } = partsOf(accountId);
    const listing = directory.listings.find(({ community }) => community.id === communityId);
    return calendarOf(listing?.community ?? { timeZone: 'UTC' }).dayAt(clock.now());
  }

  function isCurrent(values: StoredValues): boolean {
    return isDeepStrictEqual(JSON.parse(values.pushed ?? 'null'), memberValues(values, dayIn));
  }

  async function send(userId: string): Promise<AttemptResult> {
    const member = await members.find(userId);
    if (member === null) return { outcome: 'done' };
    const access = await tokens.accessToken(member);
    if (access === 'busy') return retry('another process requests new tokens', busyRetryMs);
    const stored = await members.beginUpdate(userId, clock.now());
    if (stored === null) return { outcome: 'done' };
    const values = memberValues(stored, dayIn);
    await oauth.saveRoleConnection(access.token, connectionBody(values, languages.for(member.locale)));
    await members.saveUpdate(userId, JSON.stringify(values));
    return { outcome: 'done' };
  }

  async function afterError(userId: string, error: OAuthError): Promise<AttemptResult> {
    switch (error.reason) {
      case 'revoked':
        await members.unlink(userId);
        log.info('a member has withdrawn the permission for linked roles');
        return { outcome: 'done' };
      case 'rateLimited':
        return retry(error.message, error.retryAfterMs ?? second);
      case 'unavailable':
        return { outcome: 'later', reason: error.message, scope: 'effects' };
      case 'rejected':
        return { outcome: 'bury', reason: error.message };
    }
  }

  /** Enqueues updates that no vote has caused, or that were lost. Returns the last member; null at the end. */
  async function checkAfter(lastUserId: string): Promise<string | null> {
    const now = clock.now();
    const page = await members.valuesAfter(lastUserId, now, membersPerPage);
    for (const values of page) {
      if (!isCurrent(values)) await members.requestUpdate(values.userId, now, now - repeatAfterMs);
    }
    return page.length < membersPerPage ? null : (page.at(-1)?.userId ?? null);
  }

  const { start, stop } = createLoop({
    async round(signal) {
      let last: string | null = '';
      while (last !== null && !signal.aborted) last = await checkAfter(last);
    },
    pauseMs: checkEveryMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'linked roles could not be checked; retrying'),
    clock,
  });

  return {
    routes: createLinkRoutes(oauth, tokens, context, secrets),
    ...{ start, stop },
    async update({ content: { userId } }: Effect<RoleConnectionUpdate>): Promise<AttemptResult> {
      try {
        return await send(userId);
      } catch (error) {
        if (error instanceof OAuthError) return afterError(userId, error);
        throw error;
      }
    },

    /** Removes the connection from Discord if possible, and the member's tokens. Returns whether there were any. */
    async unlink(userId: string): Promise<boolean> {
      const member = await members.find(userId);
      if (member === null) return false;
      try {
        const access = await tokens.accessToken(member);
        if (access !== 'busy') await oauth.deleteRoleConnection(access.token);
        await oauth.revoke(tokens.open((await members.find(userId)) ?? member).refreshToken);
      } catch (error) {
        // The member can still remove the app in Discord.
        log.warn({ reason: messageOf(error) }, 'a connection for linked roles could not be removed from Discord');
      }
      return members.unlink(userId);
    },
  };
}

function retry(reason: string, retryAfterMs: number): AttemptResult {
  return { outcome: 'later', reason, scope: 'effects', retryAfterMs };
}

const scope = 'identify role_connections.write';

/** Longer than a request for new tokens takes; afterwards another process tries (ms). */
const refreshLeaseMs = 20 * second;
/** An access token is replaced this long before it expires (ms). */
const expiryMarginMs = minute;

type MemberTokens = ReturnType<typeof createMemberTokens>;

function createMemberTokens(oauth: Pick<DiscordOAuth, 'refresh'>, context: LinkedRolesContext) {
  const { store, encryption, clock } = context;
  const members = store.linkedRoles;

  /** @param save returns false for tokens with another key than the database's */
  async function saveTokens(
    userId: string,
    tokens: Tokens,
    save: (sealed: SealedTokens) => Promise<boolean>,
  ): Promise<void> {
    const expiresAt = clock.now() + tokens.lifetimeMs;
    await saveSealed(context, (key) =>
      save({
        accessToken: seal(key, tokens.accessToken, tokenContext(userId, 'access_token')),
        refreshToken: seal(key, tokens.refreshToken, tokenContext(userId, 'refresh_token')),
        expiresAt,
      }),
    );
  }

  function open({ userId, accessToken, refreshToken }: LinkedMember) {
    return {
      accessToken: encryption.open(accessToken, tokenContext(userId, 'access_token')),
      refreshToken: encryption.open(refreshToken, tokenContext(userId, 'refresh_token')),
    };
  }

  const isValid = ({ expiresAt }: LinkedMember) => expiresAt - expiryMarginMs > clock.now();

  return {
    /** Stores the tokens of a member who has given the permission. Rejects with the errors of the store. */
    link: ({ userId, locale }: Pick<LinkedMember, 'userId' | 'locale'>, tokens: Tokens) =>
      saveTokens(userId, tokens, (sealed) => members.link({ userId, locale, ...sealed }, clock.now())),

    open,

    /** A valid access token; `busy` while another process requests one. @throws OAuthError */
    async accessToken(member: LinkedMember): Promise<{ readonly token: string } | 'busy'> {
      const { userId } = member;
      if (isValid(member)) return { token: open(member).accessToken };
      const now = clock.now();
      const leased = await members.leaseRefresh(userId, now, now + refreshLeaseMs);
      if (leased === null) return 'busy';
      // Another process may have stored new ones since `member` was read.
      if (isValid(leased)) {
        await members.releaseRefresh(userId);
        return { token: open(leased).accessToken };
      }
      try {
        const tokens = await oauth.refresh({ scope, refreshToken: open(leased).refreshToken });
        await saveTokens(userId, tokens, (sealed) => members.saveTokens(userId, sealed));
        return { token: tokens.accessToken };
      } catch (error) {
        // Without a response, the token may have been used: the lease gives Discord time to finish.
        if (error instanceof OAuthError && error.reason !== 'unavailable') await members.releaseRefresh(userId);
        throw error;
      }
    },
  };
}

/** Shown by Discord of a member for linked roles. Discord: "Application Role Connection Object". */
interface RoleConnectionBody {
  /** At most 50 characters. */
  readonly platform_name: string;
  /** By the keys of the metadata records; numbers, booleans (0 or 1) and times as texts. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** OAuth2 with the requests for role connections. */
class DiscordOAuth extends OAuthClient {
  readonly #applicationId: () => Promise<string>;

  constructor({ config: { discord } }: LinkedRolesContext, { clientSecret, publicUrl }: Secrets) {
    const applicationId = memoizedApplicationId(createDiscordRest(discord));
    // The developer portal has to allow it.
    const redirectUrl = `${publicUrl}${linkPath}/callback`;
    super({ apiUrl: () => discord.apiUrl, applicationId, clientSecret, redirectUrl });
    this.#applicationId = applicationId;
  }

  async saveRoleConnection(accessToken: string, body: RoleConnectionBody): Promise<void> {
    await this.send('role connection', accessToken, { method: 'put', path: await this.#connectionPath(), json: body });
  }

  async deleteRoleConnection(accessToken: string): Promise<void> {
    await this.send('role connection', accessToken, { method: 'delete', path: await this.#connectionPath() });
  }

  async #connectionPath(): Promise<string> {
    return `/users/@me/applications/${await this.#applicationId()}/role-connection`;
  }
}

/** Where members link their account; Discord's `role_connections_verification_url`. */
export const linkPath = '/linked-roles';

type Failure = Exclude<TextIn<'webPage'>, 'back'>;

/** The pages on which a member links the account. Tokens, codes and secrets are in no page, log or cookie. */
function createLinkRoutes(
  oauth: DiscordOAuth,
  tokens: MemberTokens,
  { languages, nudge, clock, log }: LinkedRolesContext,
  { clientSecret, publicUrl }: Secrets,
): Express {
  const { pathname, protocol } = new URL(`${publicUrl}${linkPath}`);
  const attempts = createAuthorizationAttempts({
    secret: clientSecret,
    purpose: 'linked roles',
    cookieName: 'linked-roles',
    path: pathname,
    secure: protocol === 'https:',
    clock,
  });
  const textsFor = (request: Request) => languages.for(...request.acceptsLanguages().slice(0, 10));

  async function link(code: string, verifier: string, fallback: Texts): Promise<{ texts: Texts; name: string }> {
    const granted = await oauth.exchangeCode({ scope, code, verifier });
    const member = await oauth.currentUser(granted.accessToken);
    await tokens.link({ userId: member.id, locale: member.locale }, granted);
    nudge([roleConnectionQueue(member.id)]);
    log.info('a member has linked their account for linked roles');
    return { texts: languages.for(member.locale, fallback.locale), name: member.name };
  }

  function sendFailure(response: Response, status: number, failure: Failure, texts: Texts): void {
    const { text } = texts;
    sendPlainPage(response, {
      status,
      locale: texts.locale,
      title: text('linkedRoles.page.titleFailed'),
      body: html`<p>${texts.text(`webPage.${failure}`)}</p>`,
      next: { url: pathname, label: text('linkedRoles.page.again') },
    });
  }

  function failureOf(error: unknown): { status: number; failure: Failure } {
    if (error instanceof OAuthError && error.reason === 'revoked') return { status: 400, failure: 'expired' };
    log.warn({ reason: messageOf(error) }, 'a member could not link their account');
    return { status: 503, failure: 'unavailable' };
  }

  const app = plainPages(linkPath, (request, response) => {
    sendFailure(response, 429, 'tooMany', textsFor(request));
  });
  app.get(linkPath, async (request, response) => {
    try {
      response.redirect(await oauth.authorizeUrl({ scope, ...attempts.start(response) }));
    } catch (error) {
      const { status, failure } = failureOf(error);
      sendFailure(response, status, failure, textsFor(request));
    }
  });
  app.get(`${linkPath}/callback`, async (request, response) => {
    const fallback = textsFor(request);
    const attempt = attempts.finish(request, response);
    const code = codeIn(request.query);
    if (attempt === null) return sendFailure(response, 400, 'expired', fallback);
    if (request.query['error'] !== undefined) return sendFailure(response, 400, 'cancelled', fallback);
    if (code === null) return sendFailure(response, 400, 'expired', fallback);
    try {
      const { texts, name } = await link(code, attempt.verifier, fallback);
      const { text } = texts;
      const body = html`<p><bdi>@${name}</bdi></p><p>${text('linkedRoles.page.linked')}</p><p>${text('linkedRoles.page.undo')}</p>`;
      const next = { url: 'https://discord.com/channels/@me', label: texts.text('webPage.back') };
      sendPlainPage(response, {
        status: 200,
        locale: texts.locale,
        title: text('linkedRoles.page.titleLinked'),
        body,
        next,
      });
    } catch (failed) {
      const { status, failure } = failureOf(failed);
      sendFailure(response, status, failure, fallback);
    }
  });
  return app;
}
