import type { Awards } from '../../../commands/context.ts';
import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { OwnerActions } from '../../core/records/owner-actions.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';

/** Awards as corrections of accounts of one community. The author is in the log. */
export function createAwards({
  actions,
  accounts,
  clock,
  log,
}: {
  readonly actions: Pick<OwnerActions, 'correct'>;
  readonly accounts: AccountScope;
  readonly clock: Clock;
  readonly log: Log;
}): Awards {
  return {
    async award({ userId, credits, reason, author, interactionId }) {
      // The owner API accepts no keys with a space, so it cannot use the same one.
      const result = await actions.correct(
        { userId, accounts, credits, reason, at: clock.now() },
        `award ${interactionId}`,
      );
      switch (result.outcome) {
        case 'corrected': {
          const { balance, repeated } = result;
          log.info({ user: userId, credits, balance, author, repeated }, 'a manager corrected an account');
          return { outcome: 'awarded', balance };
        }
        case 'overdrawn':
          return result;
        case 'refunded':
        case 'key_reused':
          throw new Error(`The interaction ${interactionId} was used for another correction.`);
      }
    },
  };
}
