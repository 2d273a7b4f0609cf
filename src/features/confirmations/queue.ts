import { reasons } from './reasons.ts';

const prefix = 'confirmation ';

/** The queue of the votes of a listing whose site is asked: one site that fails delays no other one. */
export function confirmationQueue(listing: string): string {
  return prefix + listing;
}

export function isConfirmationQueue(queue: string): boolean {
  return queue.startsWith(prefix);
}

/** The queues that a recorded delivery may have added a confirmation to. */
export function confirmationQueuesOf(
  { reason }: { readonly reason: string | null },
  listings: readonly { readonly name: string; readonly rewards: { readonly confirm?: boolean | undefined } }[],
): readonly string[] {
  if (reason !== reasons.waiting) return [];
  return listings.flatMap(({ name, rewards }) => (rewards.confirm ? confirmationQueue(name) : []));
}
