const prefix = 'confirmation ';

/** The queue of the votes of a listing whose site is asked: one site that fails delays no other one. */
export function confirmationQueue(listing: string): string {
  return prefix + listing;
}

export function isConfirmationQueue(queue: string): boolean {
  return queue.startsWith(prefix);
}
