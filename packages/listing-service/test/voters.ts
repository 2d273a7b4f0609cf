import { expect } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { upsertMember } from '../src/storage/members/members.ts';
import { type Visit, visit } from '../testing/visit.ts';

/** A member who is signed in and votes with the form of a page. */
export interface Voter {
  readonly userId: string;
  /** `true` if the vote is counted, also by an earlier attempt whose response was lost; `false` after a 503. */
  vote(path: string): Promise<boolean>;
}

/** Signs members in at a service on this database. */
export async function signInVoters(database: string, url: string, count: number): Promise<Voter[]> {
  const opened = await openDatabase(database);
  const userIds = Array.from({ length: count }, (_, index) => String(70_000 + index));
  for (const userId of userIds) await upsertMember(opened, { userId, username: `voter ${userId}` });
  await opened.destroy();
  return Promise.all(userIds.map(async (userId) => voterOf(userId, await visit({ service: { url } }, userId))));
}

function voterOf(userId: string, { send }: Visit): Voter {
  return {
    userId,
    async vote(path) {
      const { status, headers, text } = await send(`${path}/vote`, {});
      if (status === 503) {
        expect(headers.get('retry-after')).toBe('5');
        expect(text).toContain('Please try again in a few seconds');
        return false;
      }
      expect([status, headers.get('location')]).toEqual([
        303,
        expect.stringMatching(/notice=(voted|cooldown)&at=vote#result$/),
      ]);
      return true;
    },
  };
}

/** The members whose votes are stored, and those in whose name a delivery is. */
export async function storedVotes(database: string, listingId: string) {
  const opened = await openDatabase(database);
  const votes = await opened.selectFrom('votes').select('user_id').where('listing_id', '=', listingId).execute();
  const deliveries = await opened
    .selectFrom('deliveries')
    .select(['id', 'body'])
    .where('listing_id', '=', listingId)
    .execute();
  await opened.destroy();
  return {
    voters: votes.map(({ user_id }) => user_id).toSorted(),
    deliveredVoters: deliveries.map(({ body }) => (JSON.parse(body) as { userId: string }).userId).toSorted(),
    deliveryIds: deliveries.map(({ id }) => id).toSorted(),
  };
}
