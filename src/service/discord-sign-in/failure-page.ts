import type { OAuthError } from '../../platform/discord-oauth/oauth-error.ts';
import { formatDuration, minute, second } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { Consent } from './discord-accounts.ts';

/** Why a member is not signed in, or the servers are not proven. */
export type Failure =
  | { readonly reason: 'cancelled' | 'expired' | 'unavailable' | 'rejected' }
  | { readonly reason: 'rateLimited'; readonly retryAfterMs: number }
  | { readonly reason: 'otherAccount'; readonly visitor: string; readonly member: string };

export const failureStatus = {
  cancelled: 400,
  expired: 400,
  otherAccount: 409,
  rejected: 502,
  unavailable: 503,
  rateLimited: 503,
} as const satisfies Record<Failure['reason'], number>;

export function failureOf({ reason, retryAfterMs }: OAuthError): Failure {
  if (reason === 'rateLimited') return { reason, retryAfterMs: retryAfterMs ?? second };
  return { reason: reason === 'revoked' ? 'expired' : reason };
}

const titles: Readonly<Record<Consent, string>> = {
  account: 'You are not signed in',
  servers: 'Your servers are not known',
};

export function failureTitle(consent: Consent): string {
  return titles[consent];
}

/** @param retryPath starts again */
export function failurePage(failure: Failure, consent: Consent, retryPath: string): Html {
  return html`<h1>${failureTitle(consent)}</h1>
<p>${explanationOf(failure)}</p>
<p><a class="button" href="${retryPath}">Try again with Discord</a> <a href="/">Home</a></p>`;
}

/** To whole minutes, or seconds of less than a minute. */
function roundUp(durationMs: number): number {
  const unit = durationMs > minute ? minute : second;
  return Math.ceil(durationMs / unit) * unit;
}

function explanationOf(failure: Failure): string | Html {
  switch (failure.reason) {
    case 'cancelled':
      return 'You did not give the permission on Discord, so nothing has changed.';
    case 'expired':
      return 'This sign-in took longer than ten minutes, was already used, or was started in another browser.';
    case 'unavailable':
      return 'Discord does not respond at the moment. Please try again in a minute.';
    case 'rejected':
      return 'Discord rejected this sign-in. If it happens again, please tell the operator of this service.';
    case 'rateLimited':
      return `Discord limits sign-ins at the moment. Please try again in ${formatDuration(roundUp(failure.retryAfterMs))}.`;
    case 'otherAccount':
      return html`You are signed in here as <bdi>${failure.visitor}</bdi>, but on Discord as
<bdi>${failure.member}</bdi>. Sign out here first, or choose the other account on Discord.`;
  }
}
