import type { EffectState } from '../../core/outbox/effect.ts';
import { type DeliveryEffect, type DeliveryRecord, isPruned } from '../../core/records/records.ts';
import type { DeliveryDetails } from '../../features/traces/delivery-details.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime, exactDateTime } from '../../platform/web/time-element.ts';
import { escapeName, escapeText } from '../../texts/markup.ts';
import type { NameBook } from '../names.ts';
import {
  deliveryLink,
  kindText,
  listingText,
  memberLink,
  type NamedPage,
  outcomeBadge,
  signedCredits,
  tones,
  untrustedText,
  withPart,
} from './cells.ts';
import { effectItem, replayForm } from './effect-item.ts';
import { prettyJson, visible } from './pretty-json.ts';
import type { Visit } from './session.ts';
import { inlineMarkup, markupHtml } from './settings/markup-html.ts';
import { explainInWords, shortReason } from './why.ts';

/** The page of one delivery. */
export interface DeliveryView extends NamedPage {
  readonly session: Visit;
  readonly names: NameBook;
  /** The name of the listing's site, if it is to be shown. */
  readonly site: string | null;
}

export function deliveryPage(details: DeliveryDetails, view: DeliveryView): Html {
  const { delivery, effects, entry, original } = details;
  const { root, session, texts, names } = view;
  const words = texts.console;
  const isOperator = session.context.scope === null;
  return html`<p class="trail"><a href="${root}deliveries">${words.deliveries}</a></p>
<h1>${words.labels.delivery} #${delivery.id} ${outcomeBadge(delivery, texts)}</h1>
<section class="card" aria-labelledby="why"><h2 id="why">${words.whyTitle}</h2><div class="lead">${markupHtml(explainInWords(delivery, entry, texts), names, texts.locale)}</div>
${original !== null && html`<p>${withPart(words.original, deliveryLink(original, root))}</p>`}
${
  delivery.outcome === 'quarantined' &&
  html`<form method="post" action="${root}deliveries/${delivery.id}/replay">${formTokenField(session)}<button>${words.replay}</button>
<span class="quiet">${words.replayHint}</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">${words.details}</h2>${properties(details, view)}</section>
${isOperator ? timeline(details) : effects.length > 0 && followed(effects, view)}
</div>
${
  isOperator &&
  effects.length > 0 &&
  html`<section class="card" lang="en" aria-labelledby="effects"><h2 id="effects">Effects</h2><ul class="items">${effects.map(
    (effect) => effectItem(effect, { root, session, returnTo: 'delivery' }),
  )}</ul></section>`
}
<section class="card" lang="en" aria-labelledby="body"><h2 id="body">Body</h2>
${bodyOf(delivery)}</section>`;
}

/** The steps of the program, for the operator. */
function timeline({ timeline: steps }: DeliveryDetails): Html {
  return html`<section class="card" lang="en" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${steps.map(
    ({ at, what, text }) =>
      html`<li><strong>${what}</strong> ${exactDateTime(at)}<br><span dir="auto">${visible(text)}</span></li>`,
  )}</ol></section>`;
}

/** What was done because of the delivery, or why not, for a manager. */
function followed(effects: readonly DeliveryEffect[], { root, session, texts, names }: DeliveryView): Html {
  const { console: words, trace, messages } = texts;
  const kinds: Readonly<Record<string, string>> = messages.trace.effects;
  const describe = ({ kind, state, reason }: DeliveryEffect) => {
    const why = escapeName(reason ?? '?', maxReasonLength);
    if (state === 'done')
      return escapeText((Object.hasOwn(kinds, kind) ? kinds[kind] : null) ?? messages.trace.effects.unknown);
    if (state === 'buried') return trace.effects.failed(kind, why);
    return reason === null ? trace.effects.waiting(kind) : trace.effects.retried(kind, why);
  };
  return html`<section class="card" aria-labelledby="effects"><h2 id="effects">${words.followed}</h2><ul class="items">${effects.map(
    (
      effect,
    ) => html`<li><p><span class="mark ${tones[effect.state]}" aria-hidden="true">${signs[effect.state]}</span> ${inlineMarkup(describe(effect), names, texts.locale)}</p>
${effect.state === 'buried' && replayForm(effect, { root, session, returnTo: 'delivery', label: words.replay })}</li>`,
  )}</ul></section>`;
}

const maxReasonLength = 150;
const signs: Readonly<Record<EffectState, string>> = { done: '✓', waiting: '…', buried: '✗' };

function bodyOf(delivery: DeliveryRecord): Html {
  if (isPruned(delivery)) {
    return html`<p class="quiet">Deleted because of its age (<code>KEEP_BODIES</code>), and with it perhaps its effects (<code>KEEP_EFFECTS</code>). The entry and the balance do not depend on it.</p>`;
  }
  const isShared = delivery.originalId !== null;
  return html`${isShared && html`<p class="quiet">The body of the delivery that this one repeats. A repeat is stored without its own.</p>`}
<pre tabindex="0" aria-labelledby="body">${visible(prettyJson(delivery.body))}</pre>
<details><summary>Raw body, as it was signed</summary><pre tabindex="0">${visible(delivery.body)}</pre></details>`;
}

function properties({ delivery, entry }: DeliveryDetails, view: DeliveryView): Html {
  const { session, site, names, texts } = view;
  const { locale, credits, setup } = texts;
  const { labels } = texts.console;
  const isOperator = session.context.scope === null;
  return html`<dl class="facts">
<div><dt>${labels.received}</dt><dd>${dateTime(delivery.receivedAt, locale)}</dd></div>
${isOperator && html`<div lang="en"><dt>family</dt><dd>${delivery.family}</dd></div>`}
<div><dt>${labels.kind}</dt><dd>${kindText(delivery.kind, texts)}</dd></div>
<div><dt>${setup.sections.listing}</dt><dd>${listingText(delivery.listing, site, names)}</dd></div>
<div><dt>${labels.member}</dt><dd>${memberLink(delivery.userId, view)}</dd></div>
<div><dt>${credits.title}</dt><dd>${signedCredits(delivery.credits, texts)}</dd></div>
<div><dt>${labels.reason}</dt><dd>${untrustedText(shortReason(delivery.reason, texts))}</dd></div>
<div><dt>${labels.cause}</dt><dd>${entry ? html`${credits.causes[entry.cause]}, ${dateTime(entry.at, locale)}` : untrustedText(null)}</dd></div>
</dl>`;
}
