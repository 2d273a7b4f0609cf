import { z } from 'zod';

const longest = 60;

const known = z.object({
  event: z.string().optional(),
  test: z.boolean().optional(),
  userId: z.string().optional(),
  buyer: z.object({ userId: z.string() }).optional(),
});

const words: Readonly<Record<string, string>> = {
  server_vote: 'Server vote',
  bot_vote: 'Bot vote',
  premium_purchase: 'Premium purchase',
  'subscription.renewed': 'Premium renewed',
  'subscription.expired': 'Premium expired',
  'subscription.revoked': 'Premium revoked',
};

/** What a body claims to be, in a few words. Nobody has verified it: the words are for reading only. */
export function titleOf(body: Buffer, nameOf: (userId: string) => string): string {
  const claimed = known.safeParse(parsed(body)).data;
  if (claimed === undefined) return 'Something unreadable';
  const { event = 'a delivery', test, userId = claimed.buyer?.userId } = claimed;
  const what = words[event] ?? `“${cut(event)}”`;
  const who = userId === undefined ? '' : ` by ${cut(nameOf(userId))}`;
  return test ? `Test: ${what}` : what + who;
}

/** The kind of event that a body claims to be; null where it names none. */
export function eventOf(body: Buffer): string | null {
  return known.safeParse(parsed(body)).data?.event ?? null;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
