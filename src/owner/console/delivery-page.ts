import { type Html, html } from '../../web/html.ts';
import { exactMoment, moment } from '../../web/relative-time.ts';
import type { DeliveryDetails } from '../get-delivery.ts';
import { deliveryLink, foreign, mark, memberLink, signed } from './cells.ts';
import { effectItem } from './effect-item.ts';
import { formToken } from './layout.ts';
import { prettyJson, visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

export function deliveryPage(story: DeliveryDetails, up: string, session: OwnerSession): Html {
  const { delivery, effects, why, original } = story;
  return html`<p class="trail"><a href="${up}deliveries">Deliveries</a></p>
<h1>Delivery #${delivery.id} ${mark(delivery.outcome)}</h1>
<section class="card" aria-labelledby="why"><h2 id="why">Why</h2><p class="lead" dir="auto">${visible(why)}</p>
${original !== null && html`<p>The first of them: ${deliveryLink(original, up)}</p>`}
${
  delivery.outcome === 'quarantined' &&
  html`<form method="post" action="${up}deliveries/${delivery.id}/replay">${formToken(session)}<button>Replay</button>
<span class="quiet">Reads it once more, with what is understood today. It never pays twice.</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">Facts</h2>${facts(story, up)}</section>
<section class="card" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${story.timeline.map(
    ({ at, what, text }) =>
      html`<li><strong>${what}</strong> ${exactMoment(at)}<br><span dir="auto">${visible(text)}</span></li>`,
  )}</ol></section>
</div>
${
  effects.length > 0 &&
  html`<section class="card" aria-labelledby="effects"><h2 id="effects">Effects</h2><ul class="items">${effects.map(
    (effect) => effectItem(effect, { up, session, back: 'delivery' }),
  )}</ul></section>`
}
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>
<pre tabindex="0" aria-labelledby="body">${visible(prettyJson(delivery.body))}</pre>
<details><summary>As it was signed, byte for byte</summary><pre tabindex="0">${visible(delivery.body)}</pre></details></section>`;
}

function facts({ delivery, entry }: DeliveryDetails, up: string): Html {
  return html`<dl class="facts">
<div><dt>received</dt><dd>${moment(delivery.receivedAt)}</dd></div>
<div><dt>family</dt><dd>${delivery.family}</dd></div>
<div><dt>kind</dt><dd>${foreign(delivery.kind)}</dd></div>
<div><dt>listing</dt><dd>${foreign(delivery.listing)}</dd></div>
<div><dt>member</dt><dd>${memberLink(delivery.userId, up)}</dd></div>
<div><dt>credits</dt><dd>${signed(delivery.credits)}</dd></div>
<div><dt>reason</dt><dd>${foreign(delivery.reason)}</dd></div>
<div><dt>entry</dt><dd>${entry ? html`${entry.cause}, of ${moment(entry.at)}` : foreign(null)}</dd></div>
</dl>`;
}
