import type { FlashMessages } from '../../platform/web/flash-messages.ts';

export const consoleMessages = {
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  corrected: { tone: 'good', text: 'The account was corrected. The new entry is the first in the list.' },
  repeated: { tone: 'good', text: 'This correction was already made. Nothing was booked twice.' },
  revived: { tone: 'good', text: 'The effect is waiting again and will be attempted immediately.' },
  'replayed-recorded': { tone: 'good', text: 'The delivery was processed and recorded.' },
  'replayed-test': { tone: 'good', text: 'The delivery was processed: it is a test.' },
  'replayed-duplicate': {
    tone: 'plain',
    text: 'The event of this delivery is already recorded. Nothing was booked twice.',
  },
  'replayed-quarantined': { tone: 'bad', text: 'The delivery still cannot be processed. It stays in quarantine.' },
} as const satisfies FlashMessages;
