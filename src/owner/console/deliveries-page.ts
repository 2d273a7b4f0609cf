import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime, exactDateTime, timeAgo } from '@tallyhook/platform/web/time-element';
import { causeName } from '../../../commands/entry-reason.ts';
import { effectName } from '../../core/outbox/effect-kind.ts';
import { type DeliveryRecord, type EffectRecord, hasBody, isPruned } from '../../core/records/records.ts';
import type { DeliveryDetails } from '../../features/traces/delivery-details.ts';
import type { Texts } from '../../texts/texts.ts';
import { premiumKinds, voteKinds } from '../../webhook/event.ts';
import { refusalOf } from '../../webhook/rejections.ts';
import { outcomes } from '../../webhook/response.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { NameBook } from '../names.ts';
import {
  deliveryLink,
  fill,
  kindNames,
  kindText,
  listingText,
  memberLink,
  type NamedPage,
  outcomeBadge,
  prettyJson,
  signedCredits,
  siteText,
  tones,
  untrustedText,
  visible,
} from './cells.ts';
import { voteTabs } from './listings-page.ts';
import { deliveryReason, explainInWords, type ReasonView, reasonHtml } from './reason.ts';
import type { Visit } from './session.ts';

interface DeliveriesView extends NamedPage {
  readonly deliveries: readonly DeliveryRecord[];
  /** The query parameters, without `before`. */
  readonly filter: Readonly<Record<string, string>>;
  readonly listings: readonly string[];
  readonly sites: readonly Pick<Site, 'id' | 'name'>[];
  readonly siteOf: (listing: string | null) => string | null;
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
  readonly names: NameBook;
  readonly now: number;
}

export function deliveriesPage(view: DeliveriesView): Html {
  const { deliveries, next, filter, texts } = view;
  const { text } = texts;
  return html`<h1>${text('setup.link.vote')}</h1>
${voteTabs('deliveries', view)}
${filterForm(view)}
${deliveries.length === 0 ? html`<p class="card">${text('console.noDeliveries')}</p>` : deliveryTable(view)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?${queryString({ ...filter, before: String(next) })}">${texts.text('setup.buttons.older')}</a></p>`}`;
}

function deliveryTable(view: DeliveriesView): Html {
  const { deliveries, siteOf, now, root, texts } = view;
  const { text } = texts;
  const [listing, credits] = [texts.text('setup.sections.listing'), texts.text('credits.title')];
  const head = [
    text('console.labels.delivery'),
    text('console.labels.received'),
    text('console.labels.kind'),
    listing,
    text('console.labels.outcome'),
    text('console.labels.member'),
  ];
  return html`<div class="card flush"><table class="compact"><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="number">${credits}</th></tr></thead>
<tbody>${deliveries.map((delivery) => {
    return html`<tr><td data-name="${text('console.labels.delivery')}">${deliveryLink(delivery.id, root)}</td><td data-name="${text('console.labels.received')}">${timeAgo(delivery.receivedAt, now, texts.locale)}</td>
<td data-name="${text('console.labels.kind')}">${kindText(delivery.kind, texts)}</td><td data-name="${listing}">${listingText(delivery.listing, siteOf(delivery.listing), view)}</td>
<td data-name="${text('console.labels.outcome')}">${outcomeBadge(delivery, texts)}${delivery.reason !== null && html` <span class="quiet">${deliveryReason(delivery, view)}</span>`}</td>
<td data-name="${text('console.labels.member')}">${memberLink(delivery.userId, view)}</td><td data-name="${credits}" class="number">${signedCredits(delivery.credits, texts)}</td></tr>`;
  })}</tbody></table></div>`;
}

function filterForm({ filter, listings, sites, names, root, texts }: DeliveriesView): Html {
  const { text } = texts;

  const parameter = (name: string) => filter[name] ?? '';
  const select = (
    name: string,
    options: readonly string[],
    shown: ReadonlyMap<string, string>,
  ) => html`<select id="${name}" name="${name}"><option value="">${text('console.any')}</option>
${options.map(
  (option) =>
    html`<option value="${option}"${option === parameter(name) && html` selected`}>${shown.get(option) ?? option}</option>`,
)}</select>`;
  const asked = parameter('kind');
  const known: readonly string[] = [...voteKinds, ...premiumKinds];
  const kinds = asked === '' || known.includes(asked) ? known : [...known, asked];
  const siteLabels = new Map(sites.map(({ id, name }) => [id, siteText(name, texts)]));
  const listingLabels = new Map(listings.map((name) => [name, names.listing(name) ?? name]));
  const timeInput = (name: string) =>
    html`<input id="${name}" type="datetime-local" name="${name}" value="${parameter(name).replace(/Z$/, '')}">`;
  const isOpen = Object.values(filter).some((value) => value !== '');
  return html`<details class="card"${isOpen && html` open`}><summary>${text('console.filter')}</summary><form class="filter" method="get" action="${root}deliveries">
<p><label for="outcome">${text('console.labels.outcome')}</label>${select('outcome', outcomes, new Map(texts.namesIn('console.outcomes').map((name) => [name, text(`console.outcomes.${name}`)])))}</p>
<p><label for="kind">${text('console.labels.kind')}</label>${select('kind', kinds, new Map(Object.entries(kindNames(texts))))}</p>
<p><label for="listing">${text('setup.sections.listing')}</label>${select('listing', listings, listingLabels)}</p>
${siteLabels.size > 1 && html`<p><label for="site">${text('console.labels.site')}</label>${select('site', [...siteLabels.keys()], siteLabels)}</p>`}
<p><label for="user">${text('console.labels.memberId')}</label><input id="user" name="user" value="${parameter('user')}" inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" placeholder="${text('console.any')}"></p>
<p><label for="since">${text('console.reversal.from')}</label>${timeInput('since')}</p>
<p><label for="until">${text('console.reversal.until')}</label>${timeInput('until')}</p>
<p class="acts"><button>${text('console.filter')}</button> <a href="${root}deliveries">${text('console.clear')}</a></p>
</form></details>`;
}

function queryString(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();
}

interface DeliveryView extends NamedPage {
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
}${
  refusalOf(delivery) !== null &&
  hasBody(delivery) &&
  html`<form method="post" action="${root}deliveries/${delivery.id}/replay">${formTokenField(session)}<button>${text('console.pay')}</button>
<span class="quiet">${text('console.payHint')}</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">${text('console.details')}</h2>${properties(details, view)}</section>
${isOperator ? timeline(details) : done}
</div>
${isOperator && done}
<section class="card" aria-labelledby="body"><h2 id="body">${text('console.body.title')}</h2>
${bodyOf(delivery, isOperator, texts)}</section>`;
}

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
  const { text } = texts;
  const isOperator = session.context.scope === null;
  return html`<dl class="facts">
<div><dt>${text('console.labels.received')}</dt><dd>${dateTime(delivery.receivedAt, texts)}</dd></div>
${isOperator && html`<div lang="en"><dt>family</dt><dd>${delivery.family}</dd></div>`}
<div><dt>${text('console.labels.kind')}</dt><dd>${kindText(delivery.kind, texts)}</dd></div>
<div><dt>${text('setup.sections.listing')}</dt><dd>${listingText(delivery.listing, site, view)}</dd></div>
<div><dt>${text('console.labels.member')}</dt><dd>${memberLink(delivery.userId, view)}</dd></div>
<div><dt>${text('credits.title')}</dt><dd>${signedCredits(delivery.credits, texts)}</dd></div>
<div><dt>${text('console.labels.reason')}</dt><dd>${deliveryReason(delivery, view)}</dd></div>
<div><dt>${text('console.labels.cause')}</dt><dd>${entry ? html`${causeName(entry.cause, texts)}, ${dateTime(entry.at, texts)}` : untrustedText(null)}</dd></div>
</dl>`;
}

export interface EffectView extends ReasonView {
  readonly root: string;
  readonly session: Visit;
  readonly returnTo: 'delivery' | 'effects';
}

/** An effect in a list, with a replay button if it is buried. */
export function effectItem(effect: EffectRecord, view: EffectView): Html {
  const { root, session, returnTo, texts } = view;
  const { id, kind, state, attempts, reason, createdAt, dueAt, finishedAt, queue, deliveryId } = effect;
  const { text } = texts;
  const [label, at] =
    finishedAt === null ? [text('console.labels.due'), dueAt] : [text('console.labels.finished'), finishedAt];
  const isOperator = session.context.scope === null;
  return html`<li><div class="line"><h3>${effectName(kind, texts)} ${id}</h3> <span class="mark ${tones[state]}">${text(`console.states.${state}`)}</span>
${returnTo === 'effects' && deliveryId !== null && html`<span>${text('console.labels.delivery')} ${deliveryLink(deliveryId, root)}</span>`}
${state === 'buried' && replayForm(effect, view)}</div>
${reason !== null && html`<p dir="auto">${reasonHtml(reason, view)}</p>`}
<p class="quiet">${text('console.labels.created')}: ${dateTime(createdAt, texts)} · ${label}: ${dateTime(at, texts)} · ${text('console.labels.attempts')}: ${texts.number(attempts)}${
    isOperator && html` · ${text('console.labels.queue')}: <bdi>${queue}</bdi>`
  }</p></li>`;
}

function replayForm(
  { id, kind }: Pick<EffectRecord, 'id' | 'kind'>,
  { root, session, returnTo, texts }: EffectView,
): Html {
  const { text } = texts;
  return html`<form method="post" action="${root}effects/${id}/replay">${formTokenField(session)}<input type="hidden" name="back" value="${returnTo}">
<button class="second" aria-label="${text('console.replay')} ${effectName(kind, texts)} ${id}">${text('console.replay')}</button></form>`;
}
