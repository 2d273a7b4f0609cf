import { systemClock } from '@tallyhook/platform/clock';
import { startService } from '../src/service.ts';

/*
 * A process of the service that casts votes until it is killed, and prints a line with the id and a dot for each voter whose
 * vote was recorded.
 * Arguments: the database, the listing, and the first of its voters' ids.
 */
const [database = '', listingId = '', first = '0'] = process.argv.slice(2);
const service = await startService({ database, allowLoopbackTargets: true });
const pauseMs = 10;
let next = Number(first);

async function castVotes(): Promise<void> {
  for (;;) {
    const userId = String(next);
    next += 1;
    const { recorded } = await service.castVote({ listingId, userId, username: `member ${userId}` });
    if (recorded) process.stdout.write(`${userId}.\n`);
    await systemClock.sleep(pauseMs);
  }
}

await Promise.all([castVotes(), castVotes(), castVotes()]);
