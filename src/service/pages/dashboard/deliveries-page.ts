import { z } from 'zod';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { exactDateTime, timeAgo } from '../../../platform/web/time-element.ts';
import type { Listing } from '../../listing/listing.ts';
import type { DeliveryAttempt, WebhookDeliveryRecord } from '../../storage/deliveries/attempts.ts';
import type { DeliverySelection, WebhookDelivery } from '../../storage/deliveries/deliveries.ts';
import type { Visitor } from '../session.ts';

const states = ['waiting', 'delivered', 'failed'] as const;
const families = ['vote', 'premium'] as const;

/** The query of the log. Anything invalid is ignored. `before` is the time and the id of a delivery. */
export const deliveryLogQuery = z.object({
  state: z.enum(states).optional().catch(undefined),
  family: z.enum(families).optional().catch(undefined),
  before: z
    .string()
    .regex(/^\d{1,15}_[0-9a-f-]{36}$/)
    .transform((text) => {
      const [createdAt = '', id = ''] = text.split('_');
      return { createdAt: Number(createdAt), id };
    })
    .optional()
    .catch(undefined),
});

type Filter = Pick<DeliverySelection, 'state' | 'family'>;

export interface DeliveriesView {
  readonly listing: Listing;
  readonly visitor: Visitor;
  readonly filter: Filter;
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** Whether these are not the newest, or not the oldest. */
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
  readonly now: number;
}

/** The log of a listing's deliveries. */
export function deliveriesPage(view: DeliveriesView): Html {
  const { listing, visitor, filter, deliveries, hasNewer, hasOlder, now } = view;
  const path = `/dashboard/${listing.id}/deliveries`;
  const last = deliveries.at(-1);
  return html`${filterForm(path, filter)}
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
${deliveryList(deliveries, listing, visitor, now)}</section>
${
  (hasNewer || hasOlder) &&
  html`<nav class="pages" aria-label="Pages">
  ${hasNewer && html`<a class="button second" href="${pathOf(path, filter)}">Newest</a>`}
  ${hasOlder && last !== undefined && html`<a class="button second" rel="next" href="${pathOf(path, filter, last)}">Older</a>`}</nav>`
}`;
}

function filterForm(path: string, filter: Filter): Html {
  const options = (names: readonly string[], current: string | undefined) =>
    names.map((name) => html`<option value="${name}"${name === current && html` selected`}>${name}</option>`);
  return html`<form class="filters" action="${path}">
  <label>State <select name="state"><option value="">all</option>${options(states, filter.state)}</select></label>
  <label>Webhook <select name="family"><option value="">all</option>${options(families, filter.family)}</select></label>
  <button class="second">Filter</button></form>`;
}

function pathOf(path: string, { state, family }: Filter, before?: WebhookDelivery): string {
  const parameters = new URLSearchParams();
  if (state !== undefined) parameters.set('state', state);
  if (family !== undefined) parameters.set('family', family);
  if (before !== undefined) parameters.set('before', `${before.createdAt}_${before.id}`);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Deliveries with their attempts, each with a button that sends it again. */
export function deliveryList(
  deliveries: readonly WebhookDeliveryRecord[],
  listing: Listing,
  visitor: Visitor,
  now: number,
): Html {
  if (deliveries.length === 0) return html`<p class="empty">No deliveries.</p>`;
  return html`<ul class="deliveries">${deliveries.map(
    (delivery) => html`<li>
  <div class="line"><span class="state ${delivery.state}">${delivery.state}</span>
    <strong>${delivery.event}</strong>${delivery.test && html` <span class="state test">test</span>`}
    <span class="quiet">${timeAgo(delivery.createdAt, now)}${nextAttempt(delivery, now)}</span>
    <form method="post" action="/dashboard/${listing.id}/deliveries/${delivery.id}/resend">${formTokenField(visitor)}<button class="second" aria-label="Resend ${delivery.event} ${delivery.id}">Resend</button></form></div>
  <details><summary>${attemptSummary(delivery.attemptHistory)}</summary>
    ${delivery.attemptHistory.length > 0 && attemptTable(delivery.attemptHistory)}
    <pre>${delivery.body}</pre></details>
</li>`,
  )}</ul>`;
}

function nextAttempt(delivery: WebhookDelivery, now: number): string {
  if (delivery.state !== 'waiting' || delivery.nextAttemptAt <= now) return '';
  return `, next attempt ${new Date(delivery.nextAttemptAt).toISOString().slice(11, 16)} UTC`;
}

function attemptSummary(attempts: readonly DeliveryAttempt[]): string {
  const last = attempts.at(-1);
  if (!last) return 'No attempts yet';
  return `${last.status ?? 'no response'} after ${last.durationMs} ms, attempt ${attempts.length}`;
}

function attemptTable(attempts: readonly DeliveryAttempt[]): Html {
  return html`<div class="scroll"><table><thead><tr><th>Sent</th><th>Status</th><th>Duration</th><th>Response</th></tr></thead>
    <tbody>${attempts.map(
      (
        attempt,
      ) => html`<tr><td>${exactDateTime(attempt.at)}</td><td>${attempt.status ?? 'none'}</td><td>${attempt.durationMs} ms</td>
      <td class="wrap">${attempt.error && html`<span class="bad">${attempt.error}</span> `}${attempt.signedWith === 'previous' && 'Signed with the previous secret. '}${attempt.responseBody && html`<code>${attempt.responseBody.slice(0, 500)}</code>`}</td></tr>`,
    )}</tbody></table></div>`;
}
