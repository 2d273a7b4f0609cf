import { type Html, html } from '../../web/html.ts';
import { ago, counted } from '../../web/relative-time.ts';
import type { PartState } from '../context.ts';
import type { Summary } from '../get-summary.ts';
import { foreign, mark } from './cells.ts';
import { memberSearch } from './member-search.ts';

export function overviewPage(summary: Summary, up: string, now: number): Html {
  return html`<h1>Overview</h1>
${needs(summary, up)}
<div class="columns">
<section class="card" aria-labelledby="parts"><h2 id="parts">Parts</h2>${parts(summary, up, now)}</section>
<section class="card" aria-labelledby="figures"><h2 id="figures">Figures</h2>${figures(summary)}</section>
</div>
<section class="card" aria-labelledby="find"><h2 id="find">“I voted and got nothing”</h2>
<p class="quiet">Look the member up: every entry, and every delivery that paid nothing, with the reason.</p>${memberSearch(up)}</section>`;
}

function needs({ counts, budgets }: Summary, up: string): Html {
  const { quarantined } = counts.deliveries;
  const { buried } = counts.effects;
  const refused = budgets.filter(({ keyRefused }) => keyRefused);
  const strange = budgets.filter(({ wrongShape }) => wrongShape);
  if (quarantined + buried + refused.length + strange.length === 0)
    return html`<p class="notice good">Nothing needs you.</p>`;
  return html`<section class="notice bad" aria-labelledby="needs"><h2 id="needs">This needs you</h2><ul>
${quarantined > 0 && html`<li><a href="${up}deliveries?outcome=quarantined">${counted(quarantined, 'quarantined delivery', 'quarantined deliveries')}</a>: genuine, but not understood. Nothing was paid for ${quarantined === 1 ? 'it' : 'them'} yet.</li>`}
${buried > 0 && html`<li><a href="${up}effects?state=buried">${counted(buried, 'buried effect')}</a>: could not succeed. Mend the cause and replay ${buried === 1 ? 'it' : 'them'}.</li>`}
${refused.map(({ listing }) => html`<li>The service refuses the API key of <bdi>${listing}</bdi>. Make a new one in its dashboard, <i>Edit server → Advanced setup</i>, and set it.</li>`)}
${strange.map(({ listing }) => html`<li>The service answers for <bdi>${listing}</bdi> in a way that its document does not describe. The log names the field; look for a newer tallyhook.</li>`)}
</ul></section>`;
}

function parts({ parts, budgets, counts, lastDelivery }: Summary, up: string, now: number): Html {
  return html`<dl class="facts">
${Object.entries(parts).map(([name, state]) => html`<div><dt>${name}</dt><dd>${partState(state)}</dd></div>`)}
${budgets.map(
  ({ listing, left, limit }) =>
    html`<div><dt>requests left for <bdi>${listing}</bdi></dt><dd>${left ?? 'unknown'} of ${limit} <span class="quiet">this minute</span></dd></div>`,
)}
<div><dt>outbox</dt><dd><a href="${up}effects?state=waiting">${counted(counts.effects.waiting, 'effect')} waiting</a></dd></div>
<div><dt>last delivery</dt><dd>${
    lastDelivery
      ? html`<a href="${up}deliveries/${lastDelivery.id}">${ago(lastDelivery.receivedAt, now)}</a> ${mark(lastDelivery.outcome)}`
      : 'none yet'
  }</dd></div>
</dl>`;
}

function partState({ ready, reason }: PartState): Html {
  return ready
    ? html`<span class="mark good">ready</span>`
    : html`<span class="mark bad">not ready</span> ${foreign(reason ?? null)}`;
}

function figures({ counts }: Summary): Html {
  const { users, credits, votes, deliveries, effects } = counts;
  const all = {
    ...{ members: users, credits, votes, 'deliveries recorded': deliveries.recorded, duplicates: deliveries.duplicate },
    ...{
      tests: deliveries.test,
      quarantined: deliveries.quarantined,
      'effects done': effects.done,
      buried: effects.buried,
    },
  };
  return html`<dl class="facts figures">${Object.entries(all).map(
    ([name, count]) => html`<div><dt>${name}</dt><dd>${count.toLocaleString('en')}</dd></div>`,
  )}</dl>`;
}
