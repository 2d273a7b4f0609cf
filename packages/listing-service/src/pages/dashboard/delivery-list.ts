import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { DeliveryAttempt, WebhookDelivery, WebhookDeliveryRecord } from '../../storage/deliveries/deliveries.ts';
import type { DeliveryState } from '../../storage/tables.ts';
import { isServiceTextIn, type ServiceTexts } from '../../texts/texts.ts';
import type { OwnerCall } from '../page-routes.ts';

const tones = { waiting: 'busy', delivered: 'good', failed: 'bad' } as const satisfies Record<DeliveryState, string>;

/** Deliveries with their attempts, each with a button that sends it again. @param from the page of the list */
export function deliveryList(
  deliveries: readonly WebhookDeliveryRecord[],
  { listing, visitor, now, texts }: OwnerCall,
  from: 'log' | 'edit',
): Html {
  const { text } = texts;
  if (deliveries.length === 0) return html`<p class="empty">${text('deliveries.none')}</p>`;
  return html`<ul class="deliveries">${deliveries.map(
    (delivery) => html`<li>
  <div class="line"><span class="mark ${tones[delivery.state]}">${text(`deliveries.states.${delivery.state}`)}</span>
    <strong>${eventName(delivery.event, texts)}</strong>${delivery.test && html` <span class="mark">${text('deliveries.test')}</span>`}
    <span class="quiet">${texts.ago(delivery.createdAt, now)}${nextAttempt(delivery, now, texts)}</span>
    <form method="post" action="/dashboard/${listing.id}/deliveries/${delivery.id}/resend">${formTokenField(visitor)}<input type="hidden" name="from" value="${from}"><button class="second" aria-label="${text('deliveries.resendNamed', { event: eventName(delivery.event, texts), id: delivery.id })}">${text('deliveries.resend')}</button></form></div>
  <details><summary>${attemptSummary(delivery.attemptHistory, texts)}</summary>
    ${delivery.attemptHistory.length > 0 && attemptTable(delivery.attemptHistory, texts)}
    <pre>${delivery.body}</pre></details>
</li>`,
  )}</ul>`;
}

/** The translated name of an event such as `subscription.renewed`; one of an earlier version keeps its own. */
function eventName(event: string, { text }: ServiceTexts): string {
  const name = event.slice(event.lastIndexOf('.') + 1);
  return isServiceTextIn('deliveries.events', name) ? text(`deliveries.events.${name}`) : event;
}

function nextAttempt(delivery: WebhookDelivery, now: number, { timeOfDay, text }: ServiceTexts): string {
  if (delivery.state !== 'waiting' || delivery.nextAttemptAt <= now) return '';
  return `, ${text('deliveries.nextAttempt', { time: timeOfDay(delivery.nextAttemptAt) })}`;
}

function attemptSummary(attempts: readonly DeliveryAttempt[], { number, text }: ServiceTexts): string {
  const last = attempts.at(-1);
  if (!last) return text('deliveries.noAttempts');
  const status = String(last.status ?? text('deliveries.noResponse'));
  return text('deliveries.attempt', { status, duration: number(last.durationMs), number: number(attempts.length) });
}

/** The error of an attempt, or null. Causes of a request without a response are technical, and in English. */
function attemptError({ status, error }: DeliveryAttempt, texts: ServiceTexts): Html | null {
  if (error === null) return null;
  if (status === null) return html`<span class="bad" lang="en">${error}</span> `;
  const { text } = texts;
  const values = { status: String(status) };
  const rejected = status === 401 ? text('deliveries.unauthorized') : text('deliveries.rejected', values);
  return html`<span class="bad">${status < 400 ? text('deliveries.redirect', values) : rejected}</span> `;
}

function attemptTable(attempts: readonly DeliveryAttempt[], texts: ServiceTexts): Html {
  const { number, text } = texts;
  return html`<div class="scroll"><table><thead><tr><th>${text('deliveries.sent')}</th><th>${text('deliveries.status')}</th><th>${text('deliveries.duration')}</th><th>${text('deliveries.response')}</th></tr></thead>
    <tbody>${attempts.map(
      (
        attempt,
      ) => html`<tr><td>${texts.exactDateTime(attempt.at)}</td><td>${attempt.status ?? text('deliveries.noStatus')}</td><td>${number(attempt.durationMs)} ms</td>
      <td class="wrap">${attemptError(attempt, texts)}${attempt.signedWith === 'previous' && `${text('deliveries.signedWithPrevious')} `}${attempt.responseBody && html`<code>${attempt.responseBody.slice(0, 500)}</code>`}</td></tr>`,
    )}</tbody></table></div>`;
}
