/** Our own reasons for a denial, and where their texts are. */
const keys = {
  within_cooldown: 'announcement.reasons.within_cooldown',
  order_revoked: 'announcement.reasons.order_revoked',
  'denied by the service': 'announcement.reasons.denied',
} as const;

/** The key of the text of a reason for a denial, if it is ours; null for one that the service gave. */
export function ownReason(reason: string): (typeof keys)[keyof typeof keys] | null {
  return Object.hasOwn(keys, reason) ? keys[reason as keyof typeof keys] : null;
}
