import type { FlashMessages } from '../../web/flash-messages.ts';

export const serviceMessages = {
  voted: { tone: 'good', text: 'Thank you, your vote was counted.' },
  cooldown: { tone: 'bad', text: 'You have already voted. Please wait until the cooldown is over.' },
  challenge: { tone: 'bad', text: 'The check before the vote did not succeed or has expired. Please vote again.' },
  reviewed: { tone: 'good', text: 'Your review was published.' },
  moderated: { tone: 'good', text: 'Done.' },
  'nothing-moderated': { tone: 'plain', text: 'Nothing was changed: it was already done, or does not exist any more.' },
  'signed-in': { tone: 'good', text: 'You are signed in.' },
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  'signed-out-everywhere': { tone: 'good', text: 'You are signed out in all browsers.' },
  saved: { tone: 'good', text: 'Saved.' },
  removed: { tone: 'good', text: 'The webhook was removed. No more events are sent to it.' },
  resumed: { tone: 'good', text: 'The webhook was resumed. Queued events are being sent.' },
  'test-delivered': { tone: 'good', text: 'The test was delivered. See the list of deliveries for details.' },
  'test-failed': { tone: 'bad', text: 'The test failed. See the list of deliveries for the reason.' },
  resent: { tone: 'good', text: 'The delivery was queued again.' },
  revoked: { tone: 'good', text: 'The key was revoked.' },
} as const satisfies FlashMessages;
