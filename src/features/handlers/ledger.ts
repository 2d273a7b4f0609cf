import type { AccountScope } from '../../core/ledger/account-id.ts';
import { type Correction, maxCorrection, maxReasonLength } from '../../core/ledger/correction.ts';
import { changeKeyOf, refundKeyOf } from '../../core/tally/ledger-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { isSnowflake } from '../../platform/snowflake.ts';
import type { Store } from '../store.ts';
import type { LedgerChange, LedgerResult, WritableLedger } from './writable-ledger.ts';

const maxKeyLength = 100;

/**
 * The ledger for programs.
 * @param options.accountsOf the accounts of the community with this guild; undefined if there is none
 * @param defaultGuildId the community of changes that name none; null for the home community
 */
export function createWritableLedger(
  options: {
    readonly store: Pick<Store, 'recorder' | 'corrections'>;
    readonly accountsOf: (guildId: string | null) => AccountScope | undefined;
    readonly clock: Pick<Clock, 'now'>;
  },
  defaultGuildId: string | null = null,
): WritableLedger {
  const { store, accountsOf, clock } = options;

  async function change(
    { userId, credits: amount, reason, key, guildId = defaultGuildId }: LedgerChange,
    sign: 1 | -1,
    mayOverdraw = false,
  ): Promise<LedgerResult> {
    checkChange({ userId, credits: amount, reason, key });
    const accounts = accountsOf(guildId);
    if (accounts === undefined) {
      throw new TallyhookError('ledger_unknown_community', `No configured listing belongs to the guild ${guildId}.`, {
        hint: 'Use the id of a guild with a listing, or leave it out for the first configured community.',
      });
    }
    const credits = sign * amount;
    const correction = { userId, accounts, credits, reason: reason.toWellFormed(), at: clock.now(), mayOverdraw };
    return correct(correction, changeKeyOf(key), key);
  }

  async function correct(correction: Correction, idempotencyKey: string, key: string): Promise<LedgerResult> {
    const result = await store.recorder.correct(correction, idempotencyKey);
    const { credits } = correction;
    switch (result.outcome) {
      case 'corrected':
        return { credits, balance: result.balance, repeated: result.repeated };
      case 'overdrawn':
        throw new TallyhookError('ledger_overdrawn', `The balance is ${result.balance}, less than ${-credits}.`, {
          hint: 'Nothing was stored. Use allowNegative if the balance may become negative.',
        });
      case 'refunded':
        throw new TallyhookError(
          'ledger_refunded',
          `What was spent with the key ${JSON.stringify(key)} was refunded.`,
          {
            hint: 'Nothing was stored. Use a new key to spend again.',
          },
        );
      case 'key_reused':
        throw new TallyhookError('ledger_key_reused', `The key ${JSON.stringify(key)} was used for another change.`, {
          hint: 'Use a new key for each change. A repeat needs the same member, amount, reason and community.',
        });
    }
  }

  return {
    award: async (award) => change(requireFields(award), 1),
    spend: async (spending) => change(requireFields(spending), -1, spending.allowNegative),
    async refund(refunded) {
      const { key, reason } = requireFields(refunded);
      checkText('reason', reason, maxReasonLength);
      checkText('key', key, maxKeyLength);
      const spent = await store.corrections.find(changeKeyOf(key));
      if (spent === null || spent.credits >= 0) {
        throw new TallyhookError('ledger_unknown_spend', `Nothing was spent with the key ${JSON.stringify(key)}.`);
      }
      const { userId, accounts } = spent;
      const earlier = await store.corrections.find(refundKeyOf(key));
      const refund = { userId, accounts, credits: 0 - spent.credits, reason: earlier?.reason ?? reason.toWellFormed() };
      return correct({ ...refund, at: clock.now() }, refundKeyOf(key), key);
    },
  };
}

function checkChange({ userId, credits, reason, key }: LedgerChange): void {
  if (!isSnowflake(userId)) throw invalid('"userId" must be a Discord ID: a string of digits');
  if (!Number.isInteger(credits) || credits < 1 || credits > maxCorrection)
    throw invalid(`"credits" must be a whole number from 1 to ${maxCorrection}`);
  checkText('reason', reason, maxReasonLength);
  checkText('key', key, maxKeyLength);
}

/** Callers without a type checker may pass something else. */
function requireFields<Fields extends object>(fields: Fields): Fields {
  if (typeof fields === 'object' && fields !== null) return fields;
  throw invalid('it must be an object with a "key" and a "reason", and for a new change "userId" and "credits"');
}

function checkText(name: string, text: unknown, maxLength: number): void {
  if (typeof text !== 'string' || text.trim() === '' || text.length > maxLength)
    throw invalid(`"${name}" must be a text of 1 to ${maxLength} characters`);
  // PostgreSQL cannot store it.
  if (text.includes('\0')) throw invalid(`"${name}" must not contain the character NUL`);
}

function invalid(issue: string): TallyhookError {
  return new TallyhookError('ledger_invalid_change', `The change of the ledger is not valid: ${issue}.`);
}
