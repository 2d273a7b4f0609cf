import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { DeliveryAttempt, WebhookDelivery, WebhookDeliveryRecord } from '../../storage/deliveries/deliveries.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import type { OwnerCall } from '../page-routes.ts';

/** Deliveries with their attempts, each with a button that sends it again. @param from the page of the list */
export function deliveryList(
  deliveries: readonly WebhookDeliveryRecord[],
  { listing, visitor, now, texts }: OwnerCall,
  from: 'log' | 'edit',
): Html {
  const { deliveries: words, plain } = texts;
  if (deliveries.length === 0) return html`<p class="empty">${words.none}</p>`;
  return html`<ul class="deliveries">${deliveries.map(
    (delivery) => html`<li>
  <div class="line"><span class="state ${delivery.state}">${words.states[delivery.state]}</span>
    <strong>${delivery.event}</strong>${delivery.test && html` <span class="state test">${words.test}</span>`}
    <span class="quiet">${texts.ago(delivery.createdAt, now)}${nextAttempt(delivery, now, texts)}</span>
    <form method="post" action="/dashboard/${listing.id}/deliveries/${delivery.id}/resend">${formTokenField(visitor)}<input type="hidden" name="from" value="${from}"><button class="second" aria-label="${plain(words.resendNamed, { event: delivery.event, id: delivery.id })}">${words.resend}</button></form></div>
  <details><summary>${attemptSummary(delivery.attemptHistory, texts)}</summary>
    ${delivery.attemptHistory.length > 0 && attemptTable(delivery.attemptHistory, texts)}
    <pre>${delivery.body}</pre></details>
</li>`,
  )}</ul>`;
}

function nextAttempt(delivery: WebhookDelivery, now: number, { deliveries, plain, timeOfDay }: ServiceTexts): string {
  if (delivery.state !== 'waiting' || delivery.nextAttemptAt <= now) return '';
  return `, ${plain(deliveries.nextAttempt, { time: timeOfDay(delivery.nextAttemptAt) })}`;
}

function attemptSummary(attempts: readonly DeliveryAttempt[], { deliveries, plain, number }: ServiceTexts): string {
  const last = attempts.at(-1);
  if (!last) return deliveries.noAttempts;
  const status = String(last.status ?? deliveries.noResponse);
  return plain(deliveries.attempt, { status, duration: number(last.durationMs), number: number(attempts.length) });
}

/** What went wrong. The causes of a request without a response are technical, and in English. */
function attemptError({ status, error }: DeliveryAttempt, { deliveries, plain }: ServiceTexts): Html | null {
  if (error === null) return null;
  if (status === null) return html`<span class="bad" lang="en">${error}</span> `;
  const text = status < 400 ? deliveries.redirect : status === 401 ? deliveries.unauthorized : deliveries.rejected;
  return html`<span class="bad">${plain(text, { status: String(status) })}</span> `;
}

function attemptTable(attempts: readonly DeliveryAttempt[], texts: ServiceTexts): Html {
  const { deliveries, number } = texts;
  return html`<div class="scroll"><table><thead><tr><th>${deliveries.sent}</th><th>${deliveries.status}</th><th>${deliveries.duration}</th><th>${deliveries.response}</th></tr></thead>
    <tbody>${attempts.map(
      (
        attempt,
      ) => html`<tr><td>${texts.exactDateTime(attempt.at)}</td><td>${attempt.status ?? deliveries.noStatus}</td><td>${number(attempt.durationMs)} ms</td>
      <td class="wrap">${attemptError(attempt, texts)}${attempt.signedWith === 'previous' && `${deliveries.signedWithPrevious} `}${attempt.responseBody && html`<code>${attempt.responseBody.slice(0, 500)}</code>`}</td></tr>`,
    )}</tbody></table></div>`;
}
