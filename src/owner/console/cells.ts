import type { EffectState } from '../../outbox/effect.ts';
import type { Outcome } from '../../tally/tally.ts';
import { type Html, html } from '../../web/html.ts';
import { visible } from './pretty-json.ts';

const tones: Readonly<Record<Outcome | EffectState, 'good' | 'plain' | 'bad' | 'busy'>> = {
  ...{ recorded: 'good', duplicate: 'plain', test: 'plain', quarantined: 'bad' },
  ...{ waiting: 'busy', done: 'good', buried: 'bad' },
};

/** An outcome or a state, told apart at a glance and by its word. */
export function mark(state: Outcome | EffectState): Html {
  return html`<span class="mark ${tones[state]}">${state}</span>`;
}

/** Credits with their sign: +10, −5, 0. */
export function signed(credits: number): Html {
  const digits = Math.abs(credits).toLocaleString('en');
  return html`<span class="credits">${credits > 0 ? `+${digits}` : credits < 0 ? `−${digits}` : '0'}</span>`;
}

/** Foreign words, with nothing hidden in them and in a direction of their own. Empty ones leave a dash. */
export function foreign(words: string | null): Html {
  return words === null || words === '' ? html`<span class="quiet">–</span>` : html`<bdi>${visible(words)}</bdi>`;
}

export function memberLink(userId: string | null, up: string): Html {
  return userId === null
    ? foreign(null)
    : html`<a href="${up}users/${encodeURIComponent(userId)}"><bdi>${userId}</bdi></a>`;
}

export function deliveryLink(id: number | null, up: string): Html {
  return id === null ? foreign(null) : html`<a href="${up}deliveries/${id}">#${id}</a>`;
}
