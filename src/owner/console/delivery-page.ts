import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime, exactDateTime } from '@tallyhook/platform/web/time-element';
import { causeName } from '../../../commands/entry-reason.ts';
import { type DeliveryRecord, isPruned } from '../../core/records/records.ts';
import type { DeliveryDetails } from '../../features/traces/delivery-details.ts';
import type { Texts } from '../../texts/texts.ts';
import type { NameBook } from '../names.ts';
import {
  deliveryLink,
  fill,
  kindText,
  listingText,
  memberLink,
  type NamedPage,
  outcomeBadge,
  signedCredits,
  untrustedText,
} from './cells.ts';
import { effectItem } from './effect-item.ts';
import { prettyJson, visible } from './pretty-json.ts';
import { deliveryReason, explainInWords } from './reason.ts';
import type { Visit } from './session.ts';

/** The page of one delivery. */
export interface DeliveryView extends NamedPage {
  readonly session: Visit;
  readonly names: NameBook;
  /** The name of the listing's site, if it is to be shown. */
  readonly site: string | null;
}

export function deliveryPage(details: DeliveryDetails, view: DeliveryView): Html {
  const { delivery, effects, entry, original } = details;
  const { root, session, texts } = view;
  const { text } = texts;
  const isOperator = session.context.scope === null;
  const done =
    effects.length > 0 &&
    html`<section class="card" aria-labelledby="effects"><h2 id="effects">${text('console.followed')}</h2><ul class="items">${effects.map(
      (effect) => effectItem(effect, { ...view, returnTo: 'delivery' }),
    )}</ul></section>`;
  return html`<p class="trail"><a href="${root}deliveries">${text('console.deliveries')}</a></p>
<h1>${text('console.labels.delivery')} #${delivery.id} ${outcomeBadge(delivery, texts)}</h1>
<section class="card" aria-labelledby="why"><h2 id="why">${text('console.whyTitle')}</h2><div class="lead">${explainInWords(delivery, entry, view)}</div>
${original !== null && html`<p>${fill(texts, 'console.original', { delivery: deliveryLink(original, root) })}</p>`}
${
  delivery.outcome === 'quarantined' &&
  html`<form method="post" action="${root}deliveries/${delivery.id}/replay">${formTokenField(session)}<button>${text('console.replay')}</button>
<span class="quiet">${text('console.replayHint')}</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">${text('console.details')}</h2>${properties(details, view)}</section>
${isOperator ? timeline(details) : done}
</div>
${isOperator && done}
<section class="card" aria-labelledby="body"><h2 id="body">${text('console.body.title')}</h2>
${bodyOf(delivery, isOperator, texts)}</section>`;
}

/** The steps of the program, for the operator. */
function timeline({ timeline: steps }: DeliveryDetails): Html {
  return html`<section class="card" lang="en" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${steps.map(
    ({ at, what, text }) =>
      html`<li><strong>${what}</strong> ${exactDateTime(at)}<br><span dir="auto">${visible(text)}</span></li>`,
  )}</ol></section>`;
}

function bodyOf(delivery: DeliveryRecord, isOperator: boolean, { text }: Texts): Html {
  if (isPruned(delivery)) {
    return html`<p class="quiet">${text('console.body.pruned')}${isOperator && html` <code>KEEP_BODIES</code>, <code>KEEP_EFFECTS</code>`}</p>`;
  }
  const isShared = delivery.originalId !== null;
  return html`${isShared && html`<p class="quiet">${text('console.body.shared')}</p>`}
<pre tabindex="0" aria-labelledby="body">${visible(prettyJson(delivery.body))}</pre>
<details><summary>${text('console.body.raw')}</summary><pre tabindex="0">${visible(delivery.body)}</pre></details>`;
}

function properties({ delivery, entry }: DeliveryDetails, view: DeliveryView): Html {
  const { session, site, texts } = view;
  const { locale, text } = texts;
  const isOperator = session.context.scope === null;
  return html`<dl class="facts">
<div><dt>${text('console.labels.received')}</dt><dd>${dateTime(delivery.receivedAt, locale)}</dd></div>
${isOperator && html`<div lang="en"><dt>family</dt><dd>${delivery.family}</dd></div>`}
<div><dt>${text('console.labels.kind')}</dt><dd>${kindText(delivery.kind, texts)}</dd></div>
<div><dt>${text('setup.sections.listing')}</dt><dd>${listingText(delivery.listing, site, view)}</dd></div>
<div><dt>${text('console.labels.member')}</dt><dd>${memberLink(delivery.userId, view)}</dd></div>
<div><dt>${text('credits.title')}</dt><dd>${signedCredits(delivery.credits, texts)}</dd></div>
<div><dt>${text('console.labels.reason')}</dt><dd>${deliveryReason(delivery, view)}</dd></div>
<div><dt>${text('console.labels.cause')}</dt><dd>${entry ? html`${causeName(entry.cause, texts)}, ${dateTime(entry.at, locale)}` : untrustedText(null)}</dd></div>
</dl>`;
}
