import { isPseudonym } from '../../core/ledger/pseudonym.ts';
import type { EffectState } from '../../core/outbox/effect.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { Outcome } from '../../webhook/response.ts';
import { visible } from './pretty-json.ts';

const tones: Readonly<Record<Outcome | EffectState, 'good' | 'plain' | 'bad' | 'busy'>> = {
  recorded: 'good',
  duplicate: 'plain',
  test: 'plain',
  quarantined: 'bad',
  ignored: 'plain',
  waiting: 'busy',
  done: 'good',
  buried: 'bad',
};

/** An outcome or a state, as text on a color. */
export function statusBadge(status: Outcome | EffectState): Html {
  return html`<span class="mark ${tones[status]}">${status}</span>`;
}

/** Credits with their sign: +10, −5, 0. */
export function signedCredits(credits: number): Html {
  const digits = Math.abs(credits).toLocaleString('en');
  return html`<span class="credits">${credits > 0 ? `+${digits}` : credits < 0 ? `−${digits}` : '0'}</span>`;
}

/** Text from outside, with invisible characters escaped and its direction isolated. A dash for null and empty text. */
export function untrustedText(text: string | null): Html {
  return text === null || text === '' ? html`<span class="quiet">–</span>` : html`<bdi>${visible(text)}</bdi>`;
}

/** A forgotten member has no page. @param root the relative URL of the console's overview, as in all links */
export function memberLink(userId: string | null, root: string): Html {
  if (userId === null) return untrustedText(null);
  return isPseudonym(userId)
    ? html`<span class="quiet" title="${userId}">forgotten member</span>`
    : html`<a href="${root}users/${encodeURIComponent(userId)}"><bdi>${userId}</bdi></a>`;
}

export function deliveryLink(id: number | null, root: string): Html {
  return id === null ? untrustedText(null) : html`<a href="${root}deliveries/${id}">#${id}</a>`;
}
