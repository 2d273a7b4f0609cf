import { formatCount, pluralize } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { timeAgo } from '../../platform/web/time-element.ts';
import type { ComponentStatus } from '../context.ts';
import type { Summary } from '../get-summary.ts';
import { statusBadge, untrustedText } from './cells.ts';
import { memberSearch } from './member-page.ts';

export function overviewPage(summary: Summary, root: string, now: number): Html {
  return html`<h1>Overview</h1>
${issues(summary, root)}
<div class="columns">
<section class="card" aria-labelledby="parts"><h2 id="parts">Status</h2>${components(summary, root, now)}</section>
<section class="card" aria-labelledby="figures"><h2 id="figures">Totals</h2>${totals(summary)}</section>
</div>
<section class="card" aria-labelledby="find"><h2 id="find">“I voted and got nothing”</h2>
<p class="quiet">Look up the member to see all entries, and all deliveries that paid nothing with the reason.</p>${memberSearch(root)}</section>`;
}

function issues({ counts, budgets }: Summary, root: string): Html {
  const { quarantined } = counts.deliveries;
  const { buried } = counts.effects;
  const rejectedKeys = budgets.filter(({ keyRefused }) => keyRefused);
  const unexpectedResponses = budgets.filter(({ wrongShape }) => wrongShape);
  if (quarantined + buried + rejectedKeys.length + unexpectedResponses.length === 0)
    return html`<p class="notice good">Nothing needs your attention.</p>`;
  return html`<section class="notice bad" aria-labelledby="needs"><h2 id="needs">Needs your attention</h2><ul>
${quarantined > 0 && html`<li><a href="${root}deliveries?outcome=quarantined">${formatCount(quarantined, 'quarantined delivery', 'quarantined deliveries')}</a>: genuine, but could not be processed. Nothing was paid for ${pluralize(quarantined, 'it', 'them')} yet.</li>`}
${buried > 0 && html`<li><a href="${root}effects?state=buried">${formatCount(buried, 'buried effect')}</a>: failed permanently. Fix the cause and replay ${pluralize(buried, 'it', 'them')}.</li>`}
${rejectedKeys.map(({ listing }) => html`<li>The service rejects the API key of <bdi>${listing}</bdi>. Create a new key in its dashboard, <i>Edit server → Advanced setup</i>, and configure it.</li>`)}
${unexpectedResponses.map(({ listing }) => html`<li>The service's responses for <bdi>${listing}</bdi> do not match its document. The log names the field; check for a newer version of tallyhook.</li>`)}
</ul></section>`;
}

function components({ parts, budgets, counts, lastDelivery }: Summary, root: string, now: number): Html {
  return html`<dl class="facts">
${Object.entries(parts).map(([name, status]) => html`<div><dt>${name}</dt><dd>${componentStatus(status)}</dd></div>`)}
${budgets.map(
  ({ listing, left, limit }) =>
    html`<div><dt>requests left for <bdi>${listing}</bdi></dt><dd>${left ?? 'unknown'} of ${limit} <span class="quiet">this minute</span></dd></div>`,
)}
<div><dt>outbox</dt><dd><a href="${root}effects?state=waiting">${formatCount(counts.effects.waiting, 'effect')} waiting</a></dd></div>
<div><dt>last delivery</dt><dd>${
    lastDelivery
      ? html`<a href="${root}deliveries/${lastDelivery.id}">${timeAgo(lastDelivery.receivedAt, now)}</a> ${statusBadge(lastDelivery.outcome)}`
      : 'none yet'
  }</dd></div>
</dl>`;
}

function componentStatus({ ready, reason }: ComponentStatus): Html {
  return ready
    ? html`<span class="mark good">ready</span>`
    : html`<span class="mark bad">not ready</span> ${untrustedText(reason ?? null)}`;
}

function totals({ counts }: Summary): Html {
  const { users, credits, votes, deliveries, effects } = counts;
  const totalByName = {
    members: users,
    credits,
    votes,
    'recorded deliveries': deliveries.recorded,
    duplicates: deliveries.duplicate,
    tests: deliveries.test,
    quarantined: deliveries.quarantined,
    'effects done': effects.done,
    'effects buried': effects.buried,
  };
  return html`<dl class="facts figures">${Object.entries(totalByName).map(
    ([name, count]) => html`<div><dt>${name}</dt><dd>${count.toLocaleString('en')}</dd></div>`,
  )}</dl>`;
}
