import { z } from 'zod';
import { parseJson } from '../platform/json.ts';

const maxLength = 60;

const payloadSchema = z.object({
  event: z.string().optional(),
  test: z.boolean().optional(),
  userId: z.string().optional(),
  buyer: z.object({ userId: z.string() }).optional(),
});

const eventTitles: Readonly<Record<string, string>> = {
  server_vote: 'Server vote',
  bot_vote: 'Bot vote',
  premium_purchase: 'Premium purchase',
  'subscription.renewed': 'Premium renewed',
  'subscription.expired': 'Premium expired',
  'subscription.revoked': 'Premium revoked',
};

/** A short title for an unverified body, for display only. */
export function deliveryTitle(body: Buffer, memberName: (userId: string) => string): string {
  const payload = payloadSchema.safeParse(parseJson(body.toString('utf8'))).data;
  if (payload === undefined) return 'Unreadable delivery';
  const { event = 'a delivery', test, userId = payload.buyer?.userId } = payload;
  const title = eventTitles[event] ?? `“${truncate(event)}”`;
  if (test) return `Test: ${title}`;
  return userId === undefined ? title : `${title} by ${truncate(memberName(userId))}`;
}

/** The event type that an unverified body names; null if it names none. */
export function deliveryEvent(body: Buffer): string | null {
  return payloadSchema.safeParse(parseJson(body.toString('utf8'))).data?.event ?? null;
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
