/** The process of the listing service: `service-process.ts <database>`. */
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { startService } from 'listing-service';
import { serveParent } from '../process/child-server.ts';

const service = await startService({
  host: '127.0.0.1',
  port: 0,
  database: process.argv[2] ?? '',
  clock: systemClock,
  log: createLog({ level: 'warn', secrets: [] }),
  allowLoopbackTargets: true,
});

export interface VoteRun {
  readonly listingIds: readonly string[];
  readonly count: number;
  readonly concurrency: number;
  /** Makes the voters of each run different. */
  readonly firstVoter: number;
}

export interface VotesCast {
  /** ms. */
  readonly took: number;
  readonly deliveryIds: readonly string[];
}

serveParent({
  port: () => service.port,
  setWebhook: ({ listingId, url }: { listingId: string; url: string }) =>
    service.setWebhook(listingId, { voteUrl: url, voteSecret: 'bench-secret-of-the-webhook' }),
  /** Sends what can be sent by now. */
  nudge: () => service.resend('', 'no-such-delivery'),
  /** Votes through the programmatic API. */
  async vote({ listingIds, count, concurrency, firstVoter }: VoteRun): Promise<VotesCast> {
    const deliveryIds: string[] = [];
    let next = 0;
    const startedAt = performance.now();
    const voting = Array.from({ length: concurrency }, async () => {
      while (next < count) {
        const voter = next++;
        const listingId = listingIds[voter % listingIds.length] ?? '';
        const member = { userId: String(900_000_000_000_000_000n + BigInt(firstVoter + voter)), username: `v${voter}` };
        const { deliveryId } = await service.castVote({ listingId, ...member });
        if (deliveryId === null) throw new Error('A vote was stored without its webhook.');
        deliveryIds.push(deliveryId);
      }
    });
    await Promise.all(voting);
    return { took: performance.now() - startedAt, deliveryIds };
  },
  stop: () => service.stop(),
});
