import { formTokenField } from '../../../web/form-token.ts';
import { type Html, html } from '../../../web/html.ts';
import { dateTime, timeAgo } from '../../../web/time-element.ts';
import type { Listing } from '../../listing/listing.ts';
import type { DeliveryAttempt, WebhookDeliveryRecord } from '../../storage/attempts.ts';
import type { WebhookDelivery } from '../../storage/deliveries.ts';

import type { Visitor } from '../session.ts';

/** The latest deliveries of a listing with their attempts, each with a resend button. */
export function deliveriesSection(
  deliveries: readonly WebhookDeliveryRecord[],
  listing: Listing,
  visitor: Visitor,
  now: number,
): Html {
  return html`<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Last deliveries</h2>
${deliveries.length === 0 && html`<p class="quiet">No deliveries yet.</p>`}
<ul class="deliveries">${deliveries.map(
    (delivery) => html`<li>
  <div class="line"><span class="state ${delivery.state}">${delivery.state}</span>
    <strong>${delivery.event}</strong>${delivery.test && html` <span class="state test">test</span>`}
    <span class="quiet">${timeAgo(delivery.createdAt, now)}${nextAttempt(delivery, now)}</span>
    <form method="post" action="/dashboard/${listing.id}/deliveries/${delivery.id}/resend">${formTokenField(visitor)}<button class="second">Resend</button></form></div>
  <details><summary>${attemptSummary(delivery.attemptHistory)}</summary>
    <ol>${delivery.attemptHistory.map(attemptItem)}</ol>
    <pre>${delivery.body}</pre></details>
</li>`,
  )}</ul></section>`;
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

function attemptItem(attempt: DeliveryAttempt): Html {
  return html`<li>${dateTime(attempt.at)} → ${attempt.status ?? 'no response'} in ${attempt.durationMs} ms${
    attempt.signedWith === 'previous' && ', signed with the previous secret'
  }
  ${attempt.error && html`<br><span class="bad">${attempt.error}</span>`}
  ${attempt.responseBody && html`<br><code>${attempt.responseBody.slice(0, 200)}</code>`}</li>`;
}
