import { isDeepStrictEqual } from 'node:util';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-client';
import { hour, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { AccountId } from '../../core/ledger/account.ts';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import type { DiscordOAuth, RoleConnectionBody } from './discord-oauth.ts';
import type { MemberTokens } from './member-tokens.ts';
import type { RoleConnectionUpdate } from './role-connection.ts';
import type { LinkedMembers, StoredValues } from './store.ts';

/**
 * What Discord knows of a member for linked roles. A connection belongs to a member and an application, not to a guild,
 * so it covers all communities of the installation: the streak is the longest current one in any (days). It is stored
 * in this form. @param dayIn the current day of an account's community (day number)
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

/** As Discord expects it. The keys are those of {@link roleConnectionRecords}. */
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

const busyRetryMs = 3 * second;
/** An update that was enqueued and has not succeeded for this long is enqueued again (ms). */
const repeatAfterMs = hour;
const membersPerPage = 500;

/** Keeps what Discord knows of linked members as it is in the ledger. */
export function createLinkedRoles(options: {
  readonly members: LinkedMembers;
  readonly tokens: MemberTokens;
  readonly oauth: Pick<DiscordOAuth, 'saveRoleConnection' | 'deleteRoleConnection' | 'revoke'>;
  /** The current day of an account's community (day number). */
  readonly dayIn: (accountId: AccountId) => number;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { languages, members, tokens, oauth, dayIn, clock, log } = options;

  function isCurrent(values: StoredValues): boolean {
    return isDeepStrictEqual(parseJson(values.pushed), memberValues(values, dayIn));
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

  return {
    /** Carries out an effect: sends the current values. */
    async update({ content: { userId } }: Effect<RoleConnectionUpdate>): Promise<AttemptResult> {
      try {
        return await send(userId);
      } catch (error) {
        if (error instanceof OAuthError) return afterError(userId, error);
        throw error;
      }
    },

    /**
     * Enqueues updates of the next members whose values have changed without a vote, or whose update was lost. Returns
     * the last member that was checked; null after the last one. Rejects with the errors of the store.
     */
    async checkAfter(lastUserId: string): Promise<string | null> {
      const now = clock.now();
      const page = await members.valuesAfter(lastUserId, now, membersPerPage);
      for (const values of page) {
        if (!isCurrent(values)) await members.requestUpdate(values.userId, now, now - repeatAfterMs);
      }
      return page.length < membersPerPage ? null : (page.at(-1)?.userId ?? null);
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

function parseJson(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}
