import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { clientKeyOf, isTrustedProxy } from '@tallyhook/platform/web/client-key';
import type { ServiceContext } from '../context.ts';
import type { ActionLimit, RateLimits } from '../rate-limits.ts';
import { storedSetting } from '../storage/settings.ts';
import { PageError } from '../texts/page-error.ts';
import { findBan } from './moderate.ts';

/**
 * Actions of members that are limited against abuse. `edit` is every change of an own listing that is not a removal,
 * with replies, keys and webhooks; `send` is a test of a webhook, or sending a delivery again; `data` is the export of
 * a listing, and reading, exporting or deleting all that is stored about the member, which searches all listings.
 */
export const limitedActions = ['sign-in', 'vote', 'review', 'report', 'create', 'edit', 'send', 'data'] as const;
/** An action whose number is limited for each member and address. */
export type LimitedAction = (typeof limitedActions)[number];

/** The limit of each member, and that of each address: an IPv4 address, or an IPv6 network of 64 bits. */
export interface ActionLimits {
  /** Null if the member is not known yet. */
  readonly member: ActionLimit | null;
  readonly address: ActionLimit;
}

/**
 * Far more than a person does, and enough for the households, schools and mobile networks that share one address: a
 * member votes once per listing in twelve hours, and a school of a thousand may vote in the same break.
 */
export const defaultActionLimits: Readonly<Record<LimitedAction, ActionLimits>> = {
  'sign-in': { member: null, address: { limit: 120, windowMs: 10 * minute } },
  vote: { member: { limit: 60, windowMs: 1 * hour }, address: { limit: 1_000, windowMs: 1 * hour } },
  review: { member: { limit: 20, windowMs: 1 * hour }, address: { limit: 200, windowMs: 1 * hour } },
  report: { member: { limit: 30, windowMs: 1 * hour }, address: { limit: 200, windowMs: 1 * hour } },
  create: { member: { limit: 10, windowMs: 1 * day }, address: { limit: 50, windowMs: 1 * day } },
  edit: { member: { limit: 300, windowMs: 1 * hour }, address: { limit: 1_500, windowMs: 1 * hour } },
  send: { member: { limit: 300, windowMs: 1 * hour }, address: { limit: 1_500, windowMs: 1 * hour } },
  data: { member: { limit: 60, windowMs: 1 * hour }, address: { limit: 600, windowMs: 1 * hour } },
};

/** Who may do what can be abused, and how often. */
export type Admission = Awaited<ReturnType<typeof openAdmission>>;

type Visit = Pick<IncomingMessage, 'headers' | 'socket'> & { readonly ip?: string | undefined };

/**
 * Addresses and members are stored as keyed hashes only, until the end of their window, a day at most.
 * @param options.actionLimits null for no limits, for a service whose visitors act as any member
 * @param options.trustProxy the number of trusted proxies; used for a warning only, since Express evaluates it
 */
export async function openAdmission(
  options: ServiceContext & {
    readonly limits: RateLimits;
    readonly actionLimits: Readonly<Record<LimitedAction, ActionLimits>> | null;
    readonly trustProxy: number;
  },
) {
  const { database, log, limits, actionLimits, trustProxy } = options;
  const counters = new Map(
    limitedActions.map((action) => {
      const { member = null, address = null } = actionLimits?.[action] ?? {};
      return [
        action,
        {
          member: member && limits.create(`${action} member`, member),
          network: address && limits.create(`${action} address`, address),
        },
      ];
    }),
  );
  const key = await storedSetting(database, 'abuse_key', () => randomBytes(32).toString('base64url'));
  const hash = (text: string): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  let warned = false;

  /** Behind a proxy that is not trusted, all visitors would share the limit of the proxy's address. */
  function warnOfProxy({ headers, socket }: Visit): void {
    if (warned || trustProxy > 0 || headers['x-forwarded-for'] === undefined) return;
    if (!isTrustedProxy(socket.remoteAddress ?? '')) return;
    warned = true;
    log.warn(
      { hint: 'Set --trust-proxy to the number of reverse proxies, usually 1.' },
      'requests come through a proxy that is not trusted: its visitors share the limits of one address',
    );
  }

  /** Counts the action against its limits, of banned members as well. @throws PageError 429 */
  async function count(request: Visit, action: LimitedAction, userId: string | null): Promise<void> {
    if (actionLimits !== null) warnOfProxy(request);
    const counted = { member: userId, network: clientKeyOf(request.ip) };
    for (const source of ['member', 'network'] as const) {
      const [countAction, subject] = [counters.get(action)?.[source] ?? null, counted[source]];
      if (countAction === null || subject === null) continue;
      const { isAllowed, resetMs } = await countAction(hash(subject));
      if (isAllowed) continue;
      const waitMs = Math.max(second, resetMs);
      throw new PageError(
        429,
        ({ wait, text }) =>
          text(`errors.tooMany.${source}`, { actions: text(`errors.actions.${action}`), wait: wait(waitMs) }),
        Math.ceil(waitMs / second),
      );
    }
  }

  return {
    count,
    /**
     * Lets the sender of a form do something, and counts it. To be called before the action.
     * @param userId null before the member is known
     * @throws PageError 403 for a banned member, 429 with `Retry-After` beyond a limit
     */
    async admit(request: Visit, action: LimitedAction, userId: string | null): Promise<void> {
      const ban = userId === null ? null : await findBan(database, userId);
      if (ban !== null) {
        throw new PageError(403, ({ text }) => text('errors.banned', { reason: ban.reason }));
      }
      await count(request, action, userId);
    },
  };
}
