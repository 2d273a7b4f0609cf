import { createReceiver, type VoteReceiver } from 'tallyhook/receiver';

/** Counts votes, pays credits, and prints what happens. Returns the address of the server. */
export async function start(environment: NodeJS.ProcessEnv): Promise<{ receiver: VoteReceiver; url: string | null }> {
  const receiver = await createReceiver({
    listings: [
      {
        name: 'my-server',
        kind: 'server',
        voteSecrets: [environment['VOTE_SECRET'] ?? ''],
        rewards: { vote: 10, streak: { every: 7, credits: 50 }, milestones: [{ votes: 1, credits: 5 }] },
      },
    ],
    database: environment['DATABASE'] ?? 'votes.db',
    port: Number(environment['PORT'] ?? 3000),
    handlers: {
      // An error is retried, also after a restart.
      onVote({ userId, credits, balance, streak }) {
        console.log(`${userId} voted: +${credits}, balance ${balance}, day ${streak} of the streak`);
      },
      // The id is the same in each attempt, so the gift is given once.
      async onMilestone({ userId, votes }, { id, ledger }) {
        const gift = await ledger.award({ userId, credits: 100, reason: `Gift for vote ${votes}`, key: id });
        console.log(`${userId} has a gift: balance ${gift.balance}`);
      },
    },
  });
  return { receiver, url: await receiver.start() };
}

if (import.meta.main) {
  const { receiver, url } = await start(process.env);
  console.log(`Address of the vote webhook: ${url}/webhooks/vote`);
  process.once('SIGTERM', () => void receiver.stop());
  process.once('SIGINT', () => void receiver.stop());
}
