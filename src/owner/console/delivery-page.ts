import { type DeliveryRecord, isPruned } from '../../core/records/records.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime, exactDateTime } from '../../platform/web/time-element.ts';
import type { DeliveryDetails } from '../get-delivery.ts';
import { deliveryLink, memberLink, signedCredits, statusBadge, untrustedText } from './cells.ts';
import { effectItem } from './effect-item.ts';
import { prettyJson, visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

export function deliveryPage(details: DeliveryDetails, root: string, session: OwnerSession): Html {
  const { delivery, effects, why, original } = details;
  return html`<p class="trail"><a href="${root}deliveries">Deliveries</a></p>
<h1>Delivery #${delivery.id} ${statusBadge(delivery.outcome)}</h1>
<section class="card" aria-labelledby="why"><h2 id="why">Why</h2><p class="lead" dir="auto">${visible(why)}</p>
${original !== null && html`<p>Original: ${deliveryLink(original, root)}</p>`}
${
  delivery.outcome === 'quarantined' &&
  html`<form method="post" action="${root}deliveries/${delivery.id}/replay">${formTokenField(session)}<button>Replay</button>
<span class="quiet">Processes the delivery again with the current version and configuration. It is never paid twice.</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${properties(details, root)}</section>
<section class="card" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${details.timeline.map(
    ({ at, what, text }) =>
      html`<li><strong>${what}</strong> ${exactDateTime(at)}<br><span dir="auto">${visible(text)}</span></li>`,
  )}</ol></section>
</div>
${
  effects.length > 0 &&
  html`<section class="card" aria-labelledby="effects"><h2 id="effects">Effects</h2><ul class="items">${effects.map(
    (effect) => effectItem(effect, { root, session, returnTo: 'delivery' }),
  )}</ul></section>`
}
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>
${bodyOf(delivery)}</section>`;
}

function bodyOf(delivery: DeliveryRecord): Html {
  if (isPruned(delivery)) {
    return html`<p class="quiet">Deleted because of its age (<code>KEEP_BODIES</code>), and with it perhaps its effects (<code>KEEP_EFFECTS</code>). The entry and the balance do not depend on it.</p>`;
  }
  const isShared = delivery.originalId !== null;
  return html`${isShared && html`<p class="quiet">The body of the delivery that this one repeats. A repeat is stored without its own.</p>`}
<pre tabindex="0" aria-labelledby="body">${visible(prettyJson(delivery.body))}</pre>
<details><summary>Raw body, as it was signed</summary><pre tabindex="0">${visible(delivery.body)}</pre></details>`;
}

function properties({ delivery, entry }: DeliveryDetails, root: string): Html {
  return html`<dl class="facts">
<div><dt>received</dt><dd>${dateTime(delivery.receivedAt)}</dd></div>
<div><dt>family</dt><dd>${delivery.family}</dd></div>
<div><dt>kind</dt><dd>${untrustedText(delivery.kind)}</dd></div>
<div><dt>listing</dt><dd>${untrustedText(delivery.listing)}</dd></div>
<div><dt>member</dt><dd>${memberLink(delivery.userId, root)}</dd></div>
<div><dt>credits</dt><dd>${signedCredits(delivery.credits)}</dd></div>
<div><dt>reason</dt><dd>${untrustedText(delivery.reason)}</dd></div>
<div><dt>entry</dt><dd>${entry ? html`${entry.cause}, ${dateTime(entry.at)}` : untrustedText(null)}</dd></div>
</dl>`;
}
