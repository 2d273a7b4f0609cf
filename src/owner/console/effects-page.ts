import type { EffectState } from '../../core/outbox/effect.ts';
import type { EffectRecord } from '../../core/records/records.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { effectItem } from './effect-item.ts';
import type { OwnerSession } from './session.ts';

/** In the order of the tabs: first what needs the owner's attention. */
export const effectTabs = ['buried', 'waiting', 'done'] as const satisfies readonly EffectState[];

const emptyTexts: Readonly<Record<EffectState, string>> = {
  buried: 'No effects are buried: every effect is done, waiting, or being retried.',
  waiting: 'No effects are waiting.',
  done: 'No effects are done yet.',
};

const titles: Readonly<Record<EffectState, string>> = { waiting: 'Waiting', done: 'Done', buried: 'Buried' };

export interface EffectsView {
  readonly state: EffectState;
  readonly effects: readonly EffectRecord[];
  readonly counts: Readonly<Record<EffectState, number>>;
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
}

export function effectsPage({ state, effects, counts, next }: EffectsView, root: string, session: OwnerSession): Html {
  const tab = (name: EffectState) =>
    html`<li><a href="${root}effects?state=${name}"${name === state && html` aria-current="true"`}>${name} <span class="count">${counts[name].toLocaleString('en')}</span></a></li>`;
  return html`<h1>Effects</h1>
<p class="quiet">Actions in Discord, such as announcements and roles, and their status.</p>
<nav aria-label="State"><ul class="tabs">${effectTabs.map(tab)}</ul></nav>
<section class="card" aria-labelledby="state"><h2 id="state">${titles[state]}</h2>${
    effects.length === 0
      ? html`<p>${emptyTexts[state]}</p>`
      : html`<ul class="items">${effects.map((effect) => effectItem(effect, { root, session, returnTo: 'effects' }))}</ul>`
  }</section>
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?state=${state}&amp;before=${next}">Older effects</a></p>`}`;
}
