import { day, hour, minute } from '../../platform/durations.ts';

/**
 * What members do that can be abused. `edit` is every change of an own listing that is not a removal, with replies, keys
 * and webhooks; `send` is a test of a webhook, or sending a delivery again; `data` is the export of a listing, and reading, exporting or deleting
 * all that is stored about the member, which searches all listings.
 */
export const limitedActions = ['sign-in', 'vote', 'review', 'report', 'create', 'edit', 'send', 'data'] as const;
export type LimitedAction = (typeof limitedActions)[number];

/** How many times something may be done in a window that begins at a multiple of its length. */
export interface ActionLimit {
  readonly limit: number;
  readonly windowMs: number;
}

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
