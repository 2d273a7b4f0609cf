/** What an action came to, by the name under which a redirect carries it: never free text, which anybody could put in a link. */
export const notices = {
  voted: { tone: 'good', text: 'Thank you, your vote is counted.' },
  cooldown: { tone: 'bad', text: 'You have voted already. Please wait until the cooldown is over.' },
  reviewed: { tone: 'good', text: 'Your review is published.' },
  'signed-in': { tone: 'good', text: 'You are signed in.' },
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  saved: { tone: 'good', text: 'Saved.' },
  removed: { tone: 'good', text: 'The webhook is removed. Nothing more is sent there.' },
  resumed: { tone: 'good', text: 'Sending goes on; what was held back is sent now.' },
  'test-delivered': { tone: 'good', text: 'The test was delivered. Details are in the list of deliveries.' },
  'test-failed': { tone: 'bad', text: 'The test was not accepted. The list of deliveries says why.' },
  resent: { tone: 'good', text: 'The delivery is queued again.' },
  revoked: { tone: 'good', text: 'The key is revoked and works no more.' },
} as const satisfies Record<string, { tone: 'good' | 'bad'; text: string }>;

export type NoticeName = keyof typeof notices;

export function readNotice(value: unknown): NoticeName | null {
  return typeof value === 'string' && Object.hasOwn(notices, value) ? (value as NoticeName) : null;
}
