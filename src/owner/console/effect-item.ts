import { type Html, html } from '../../web/html.ts';
import { moment } from '../../web/relative-time.ts';
import { explainEffect } from '../explain.ts';
import type { EffectRecord } from '../records.ts';
import { deliveryLink, mark } from './cells.ts';
import { formToken } from './layout.ts';
import { visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

/** One effect in a list, with a button where it can be replayed. @param back the page that the button leads back to */
export function effectItem(
  effect: EffectRecord,
  { up, session, back }: { up: string; session: OwnerSession; back: 'delivery' | 'effects' },
): Html {
  const { id, kind, state, createdAt, dueAt, finishedAt } = effect;
  return html`<li><div class="line"><h3>${kind} ${id}</h3> ${mark(state)}
${back === 'effects' && html`<span>of delivery ${deliveryLink(effect.deliveryId, up)}</span>`}
${
  state === 'buried' &&
  html`<form method="post" action="${up}effects/${id}/replay">${formToken(session)}<input type="hidden" name="back" value="${back}">
<button class="second" aria-label="Replay ${kind} ${id}">Replay</button></form>`
}</div>
<p dir="auto">${visible(explainEffect(effect))}</p>
<p class="quiet">Written ${moment(createdAt)} for channel ${effect.channelId}${
    finishedAt === null ? html`, due ${moment(dueAt)}` : html`, ${state} ${moment(finishedAt)}`
  }.</p></li>`;
}
