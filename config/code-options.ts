import { closest } from '@tallyhook/platform/did-you-mean';
import { callback, clock, log } from '@tallyhook/platform/options';
import { valueAt } from '@tallyhook/platform/parse-parts';
import { z } from 'zod';

/** What `createApp` and `createReceiver` take beside settings. */
export const codeOptions = {
  onRecorded: callback.optional(),
  log: log.optional(),
  clock: clock.optional(),
};

export const receiverHandlers = z.strictObject({
  onVote: callback.optional(),
  onPremium: callback.optional(),
  onStreak: callback.optional(),
  onMilestone: callback.optional(),
  concurrency: z.int().min(1).max(100).optional(),
});

/** What to do about an invalid part of `handlers`. */
export function hintForHandlers(name: string | number | undefined, handlers: z.ZodObject): string {
  if (name !== undefined && name in handlers.shape) return 'Correct or remove it.';
  return `The options of handlers are ${Object.keys(handlers.shape).join(', ')}.`;
}

/** Purchases and reviews need the bot. */
export const appHandlers = receiverHandlers.extend({ onPurchase: callback.optional(), onReview: callback.optional() });

/** What to do about an option that may be a handler in the wrong place. */
export function hintForOption(name: string | number, handlers: z.ZodObject): string {
  const meant = closest(String(name), Object.keys(handlers.shape));
  return meant === undefined ? 'Correct or remove it.' : `Did you mean handlers.${meant}? Pass handlers: { ${meant} }.`;
}

/** For secrets. */
export const unsetHint = 'If it comes from an environment variable, that variable is empty or not set.';

/** What to do about an invalid part of `listings`. @param options the options as the caller passed them */
export function hintForListings(path: readonly (string | number)[], options: unknown): string {
  const [, index, field = ''] = path;
  const listed = valueAt(options, ['listings']);
  if (index === undefined && Array.isArray(listed) && listed.length > 1) return 'Give each listing a name of its own.';
  if (index === undefined) return 'List each server or bot with its secrets.';
  if (!['voteSecrets', 'premiumSecrets', 'voteAuthorization', 'lookupKey'].includes(String(field)))
    return 'Correct it.';
  if (String(field).endsWith('Secrets') && typeof valueAt(options, path) === 'string' && path.length === 3)
    return `Write a list, also of a single secret: ${field}: ['…'].`;
  const name = valueAt(options, ['listings', index, 'name']);
  const listing = typeof name === 'string' ? ` of the listing ${JSON.stringify(name)}` : '';
  const what = field === 'lookupKey' ? 'the API key' : 'a secret';
  return `Set it to ${what}${listing}. ${unsetHint}`;
}
