import type { EffectState } from '../../outbox/effect.ts';
import { type Html, html } from '../../web/html.ts';
import type { EffectRecord } from '../records.ts';
import { effectItem } from './effect-item.ts';
import type { OwnerSession } from './session.ts';

/** What needs the owner first. */
export const tabs = ['buried', 'waiting', 'done'] as const satisfies readonly EffectState[];

const nothing: Readonly<Record<EffectState, string>> = {
  buried: 'Nothing is buried: everything that was begun was done, or is tried again by itself.',
  waiting: 'Nothing waits.',
  done: 'Nothing has been done yet.',
};

export interface EffectsView {
  readonly state: EffectState;
  readonly effects: readonly EffectRecord[];
  readonly sizes: Readonly<Record<EffectState, number>>;
  /** The id that the next page begins before; null on the last one. */
  readonly next: number | null;
}

export function effectsPage({ state, effects, sizes, next }: EffectsView, up: string, session: OwnerSession): Html {
  const tab = (name: EffectState) =>
    html`<li><a href="${up}effects?state=${name}"${name === state && html` aria-current="true"`}>${name} <span class="count">${sizes[name].toLocaleString('en')}</span></a></li>`;
  return html`<h1>Effects</h1>
<p class="quiet">What is still to be done in Discord for a delivery, and what became of it.</p>
<nav aria-label="State"><ul class="tabs">${tabs.map(tab)}</ul></nav>
<section class="card" aria-label="${state} effects">${
    effects.length === 0
      ? html`<p>${nothing[state]}</p>`
      : html`<ul class="items">${effects.map((effect) => effectItem(effect, { up, session, back: 'effects' }))}</ul>`
  }</section>
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?state=${state}&amp;before=${next}">Older effects</a></p>`}`;
}
