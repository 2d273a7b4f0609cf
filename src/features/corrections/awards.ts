import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Recordings } from '../../core/tally/recorder.ts';

/** Changes of accounts by managers. @category Commands */
export interface Awards {
  /**
   * Adds credits to an account, or subtracts them if negative; once per interaction. Rejects with the errors of the
   * store.
   * @returns the balance (credits): the new one, or the unchanged one if it is less than what would be subtracted
   */
  award(award: {
    readonly userId: string;
    /** Whole and not 0. */
    readonly credits: number;
    readonly reason: string;
    /** The manager's user id. */
    readonly author: string;
    readonly interactionId: string;
  }): Promise<{ readonly outcome: 'awarded' | 'overdrawn'; readonly balance: number }>;
}

export function createAwards({
  recorder,
  communityId,
  clock,
  log,
}: {
  readonly recorder: Pick<Recordings, 'correct'>;
  readonly communityId: CommunityId;
  readonly clock: Clock;
  readonly log: Log;
}): Awards {
  return {
    async award({ userId, credits, reason, author, interactionId }) {
      // The owner API accepts no keys with a space, so it cannot use the same one.
      const result = await recorder.correct(
        { userId, communityId, credits, reason, at: clock.now(), author },
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
