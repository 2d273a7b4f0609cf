import { createReceiver } from 'tallyhook/receiver';

/** Counts votes and pays credits. The server is that of the framework. */
export const receiver = await createReceiver({
  listings: [{ name: 'my-server', kind: 'server', voteSecrets: [process.env['VOTE_SECRET'] ?? ''] }],
  database: process.env['DATABASE'] ?? 'votes.db',
  handlers: {
    onVote: ({ userId, credits, balance }) => console.log(`${userId} voted: +${credits}, balance ${balance}`),
  },
});
await receiver.start({ listen: false });
