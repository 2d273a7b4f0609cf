import { randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';

const lifetimeMs = minute;

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/**
 * Links that sign in to the console without the token: once, within a minute, from this machine.
 * @param clock real time @param onUsed called when a link has been used
 */
export function createSignInLinks(clock: Clock, onUsed: () => void = () => {}) {
  let current: { readonly code: string; readonly endsAt: number } | null = null;
  return {
    /** The path of a new link below the console's. It ends the earlier one. */
    create(): string {
      current = { code: randomBytes(32).toString('base64url'), endsAt: clock.monotonic() + lifetimeMs };
      return `sign-in-link?code=${current.code}`;
    },
    /** Whether the code is that of the link, which is used up by that. */
    use(code: string): boolean {
      if (current === null || clock.monotonic() >= current.endsAt || !equalSecrets(code, current.code)) return false;
      current = null;
      onUsed();
      return true;
    },
  };
}
