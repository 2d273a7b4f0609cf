import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { exactDateTime, timeAgo } from '../../../platform/web/time-element.ts';
import type { Listing } from '../../listing/listing.ts';
import type { DeliveryAttempt, WebhookDelivery, WebhookDeliveryRecord } from '../../storage/deliveries/deliveries.ts';
import type { Visitor } from '../session.ts';

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
