import type { Clock } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { accountIdOf, type LedgerReads } from '../../core/ledger/account.ts';
import {
  type Correction,
  type CorrectionResult,
  maxCorrection,
  maxReasonLength,
  type TransferResult,
} from '../../core/ledger/correction.ts';
import type { Ledger, LedgerChange, LedgerResult } from '../../core/ledger/program-ledger.ts';
import { leaderboardPeriods, leaderboardScores } from '../../core/ledger/standing.ts';
import { changeKeyOf, refundKeyOf } from '../../core/tally/idempotency-key.ts';
import { type Community, type Directory, describeCommunities, onlyCommunity } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type { Store } from '../store.ts';

const maxLimit = 100;

export interface LedgerSources {
  readonly store: Pick<Store, 'recorder' | 'corrections' | 'communitiesOf' | 'ledgerIn' | 'records' | 'standingsIn'>;
  readonly directory: Pick<Directory, 'ofGuild' | 'byDefault' | 'communities' | 'communityOf'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The ledger of an installation.
 * @param defaultGuildId the guild of the community of calls that name none, null for listings without a guild; undefined
 *   for the only community
 */
export function createLedger({ store, directory, clock }: LedgerSources, defaultGuildId?: string | null): Ledger {
  function communityAt(guildId: string | null | undefined = defaultGuildId): Community {
    return guildId === undefined ? onlyCommunity(directory) : knownCommunity(directory, guildId);
  }

  async function accountIn({ id }: Community, userId: string): Promise<LedgerReads | null> {
    checkMember('userId', userId);
    const communities = await store.communitiesOf(userId);
    return communities.includes(id) ? store.ledgerIn(id) : null;
  }

  /** The fields of a correction beside its member, and its credits. */
  function read({ credits, reason, key, guildId }: Omit<LedgerChange, 'userId'>) {
    checkWhole('credits', credits, 1, maxCorrection);
    checkText('reason', reason, maxReasonLength);
    checkText('key', key, maxKeyLength);
    return { communityId: communityAt(guildId).id, reason: reason.toWellFormed(), at: clock.now() };
  }

  async function change(changed: LedgerChange, sign: 1 | -1, mayOverdraw = false): Promise<LedgerResult> {
    const { userId, credits, key } = changed;
    checkMember('userId', userId);
    return correct({ ...read(changed), userId, credits: sign * credits, mayOverdraw }, changeKeyOf(key), key);
  }

  async function correct(correction: Correction, idempotencyKey: string, key: string): Promise<LedgerResult> {
    const { credits } = correction;
    const result = await store.recorder.correct(correction, idempotencyKey);
    if (result.outcome !== 'corrected') throw rejected(result, -credits, key);
    return { credits, balance: result.balance, repeated: result.repeated };
  }

  return {
    award: async (award) => change(requireFields(award), 1),
    spend: async (spending) => change(requireFields(spending), -1, spending.allowNegative),
    async refund(refunded) {
      const { key, reason, guildId } = requireFields(refunded);
      checkText('reason', reason, maxReasonLength);
      checkText('key', key, maxKeyLength);
      const communityId = communityAt(guildId).id;
      const spent = await store.corrections.find(communityId, changeKeyOf(key));
      if (spent === null || spent.credits >= 0) {
        throw new TallyhookError('ledger_unknown_spend', `Nothing was spent with the key ${JSON.stringify(key)}.`);
      }
      const { userId } = spent;
      const earlier = await store.corrections.find(communityId, refundKeyOf(key));
      const refund = {
        userId,
        communityId,
        credits: 0 - spent.credits,
        reason: earlier?.reason ?? reason.toWellFormed(),
      };
      return correct({ ...refund, at: clock.now() }, refundKeyOf(key), key);
    },
    async transfer(transfer) {
      const { from, to, credits, key, allowNegative: mayOverdraw = false } = requireFields(transfer);
      checkMember('from', from);
      checkMember('to', to);
      if (from === to) throw invalidField('"from" and "to" must be two members');
      const common = read(transfer);
      const taken = { ...common, userId: from, credits: -credits, mayOverdraw };
      const result = await store.recorder.transfer(taken, { ...common, userId: to, credits }, key);
      if (result.outcome !== 'transferred') throw rejected(result, credits, key);
      const { outcome: _, ...balances } = result;
      return { credits, ...balances };
    },

    async account(userId, { guildId } = {}) {
      const ledger = await accountIn(communityAt(guildId), userId);
      return (await ledger?.account(userId)) ?? null;
    },

    async lastVoteAt(userId, listing) {
      const [name] = [listing].flat();
      const named = name === null || name === undefined ? undefined : directory.communityOf(name);
      const ledger = await accountIn(named ?? communityAt(), userId);
      return (await ledger?.lastVoteAt(userId, listing)) ?? null;
    },

    async entries(userId, { limit = 20, before = null, guildId } = {}) {
      checkMember('userId', userId);
      checkWhole('limit', limit, 1, maxLimit);
      if (before !== null) checkWhole('before', before, 0, Number.MAX_SAFE_INTEGER);
      return store.records.entries(accountIdOf(communityAt(guildId).id, userId), limit, before);
    },

    async standings(period, by, { limit = 10, offset = 0, userId = null, guildId } = {}) {
      checkOneOf('period', period, leaderboardPeriods);
      checkOneOf('by', by, leaderboardScores);
      checkWhole('limit', limit, 1, maxLimit);
      if (offset !== 'own') checkWhole('offset', offset, 0, Number.MAX_SAFE_INTEGER);
      if (userId !== null) checkMember('userId', userId);
      const { id, timeZone, listings } = communityAt(guildId);
      const standings = store.standingsIn(id, timeZone, hiddenRolesOf(listings));
      return standings.leaderboard({ period, by, limit, offset, userId }, clock.now());
    },
  };
}

const maxKeyLength = 100;

/**
 * The community of a guild; with null that of listings without a guild, or the only one.
 * @throws TallyhookError `ledger_unknown_community`
 */
function knownCommunity(
  directory: Pick<Directory, 'ofGuild' | 'byDefault' | 'communities'>,
  guildId: string | null,
): Community {
  // An event may have been stored before the guild of its community was known.
  const community = guildId === null ? directory.byDefault : directory.ofGuild(guildId);
  if (community !== undefined) return community;
  if (guildId === null) return onlyCommunity(directory);
  const known = describeCommunities(directory);
  throw new TallyhookError('ledger_unknown_community', `No configured listing belongs to the guild ${guildId}.`, {
    hint: known === '' ? 'Configure a listing, or link one with /setup.' : `The communities are: ${known}.`,
  });
}

function rejected(
  result: Exclude<CorrectionResult | TransferResult, { readonly repeated: boolean }>,
  taken: number,
  key: string,
): TallyhookError {
  const quoted = JSON.stringify(key);
  switch (result.outcome) {
    case 'overdrawn':
      return new TallyhookError('ledger_overdrawn', `The balance is ${result.balance}, less than ${taken}.`, {
        hint: 'Nothing was stored. Use allowNegative if the balance may become negative.',
      });
    case 'refunded':
      return new TallyhookError('ledger_refunded', `What was spent with the key ${quoted} was refunded.`, {
        hint: 'Nothing was stored. Use a new key to spend again.',
      });
    case 'key_reused':
      return new TallyhookError('ledger_key_reused', `The key ${quoted} was used for another change.`, {
        hint: 'Use a new key for each change. A repeat needs the same member, amount, reason and community.',
      });
  }
}

/* Checks of what a program passes to the ledger, which may have no type checker. They throw `ledger_invalid_change`. */

const fieldNames = ['userId', 'from', 'to', 'credits', 'reason', 'key', 'guildId', 'allowNegative'];

/** Other fields are ignored, but not `guildID`, with which another community would be paid. */
function requireFields<Fields extends object>(fields: Fields): Fields {
  if (typeof fields !== 'object' || fields === null)
    throw invalidField('it must be an object with a "key" and a "reason", and for a new change "userId" and "credits"');
  for (const name of Object.keys(fields)) {
    const meant = fieldNames.find((known) => known !== name && known.toLowerCase() === name.toLowerCase());
    if (meant !== undefined) throw invalidField(`"${name}" must be "${meant}"`);
  }
  return fields;
}

function checkMember(name: string, id: unknown): void {
  if (!isSnowflake(id)) throw invalidField(`"${name}" must be a Discord ID: a string of digits`);
}

function checkWhole(name: string, value: unknown, min: number, max: number): void {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  if (!isWhole) throw invalidField(`"${name}" must be a whole number from ${min} to ${max}`);
}

function checkText(name: string, text: unknown, maxLength: number): void {
  if (typeof text !== 'string' || text.trim() === '' || text.length > maxLength)
    throw invalidField(`"${name}" must be a text of 1 to ${maxLength} characters`);
  // PostgreSQL cannot store it.
  if (text.includes('\0')) throw invalidField(`"${name}" must not contain the character NUL`);
}

function checkOneOf(name: string, value: unknown, values: readonly string[]): void {
  if (!values.some((each) => each === value)) throw invalidField(`"${name}" must be one of ${values.join(', ')}`);
}

function invalidField(issue: string): TallyhookError {
  return new TallyhookError('ledger_invalid_change', `What was passed to the ledger is not valid: ${issue}.`);
}
