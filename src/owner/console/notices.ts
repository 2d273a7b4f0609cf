/** What an act came to, by the name under which a redirect carries it: never free text, which anybody could put in a link. */
export const notices = {
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  corrected: { tone: 'good', text: 'The account is corrected. The new entry is the first of the list.' },
  repeated: { tone: 'good', text: 'This correction was made already. Nothing was booked twice.' },
  revived: { tone: 'good', text: 'The effect waits again and is tried at once.' },
  'replayed-recorded': { tone: 'good', text: 'The delivery is understood now, and recorded.' },
  'replayed-test': { tone: 'good', text: 'The delivery is understood now: it is a test.' },
  'replayed-duplicate': {
    tone: 'plain',
    text: 'The event of this delivery is recorded already. Nothing was booked twice.',
  },
  'replayed-quarantined': { tone: 'bad', text: 'The delivery is still not understood. It stays in quarantine.' },
} as const satisfies Record<string, { tone: 'good' | 'plain' | 'bad'; text: string }>;

export type NoticeName = keyof typeof notices;

export function readNotice(value: unknown): NoticeName | null {
  return typeof value === 'string' && Object.hasOwn(notices, value) ? (value as NoticeName) : null;
}
