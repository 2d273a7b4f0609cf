import { createApp, type HandlerCall, type MilestoneEvent, type VoteEvent } from 'tallyhook';

/** Every third vote is drawn: a prize from 1 to 100 credits. A repeated call has the same id, and so the same prize. */
async function onVote({ userId, votes }: VoteEvent, { id, ledger }: HandlerCall) {
  if (votes % 3 !== 0) return;
  const credits = 1 + (hash(id) % 100);
  await ledger.award({ userId, credits, reason: `prize for vote ${votes}`, key: id });
}

/** A reward outside of Discord, of a service of your own. It must accept the same id twice. */
async function onMilestone({ userId, votes }: MilestoneEvent, { id, signal }: HandlerCall) {
  const body = JSON.stringify({ id, userId, votes });
  const response = await fetch(process.env['REWARD_URL'] ?? '', { method: 'POST', body, signal });
  if (!response.ok) throw new Error(`The reward service responded with ${response.status}.`);
}

/** The same number for the same text. */
function hash(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);
}

export const app = await createApp.fromEnvironment(process.env, { handlers: { onVote, onMilestone } });
export const url = await app.start();

process.once('SIGTERM', () => void app.stop());
