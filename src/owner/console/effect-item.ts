import type { EffectRecord } from '../../core/records/records.ts';
import { explainEffect } from '../../features/traces/explain.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import { deliveryLink, statusBadge } from './cells.ts';
import { visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

/** An effect in a list, with a replay button if it is buried. @param returnTo the page to show after the replay */
export function effectItem(
  effect: EffectRecord,
  { root, session, returnTo }: { root: string; session: OwnerSession; returnTo: 'delivery' | 'effects' },
): Html {
  const { id, kind, state, createdAt, dueAt, finishedAt } = effect;
  return html`<li><div class="line"><h3>${kind} ${id}</h3> ${statusBadge(state)}
${returnTo === 'effects' && effect.deliveryId !== null && html`<span>of delivery ${deliveryLink(effect.deliveryId, root)}</span>`}
${state === 'buried' && replayForm(effect, { root, session, returnTo, label: 'Replay' })}</div>
<p dir="auto">${visible(explainEffect(effect))}</p>
<p class="quiet">Created ${dateTime(createdAt)} in the queue <bdi>${effect.queue}</bdi>${
    finishedAt === null ? html`, due ${dateTime(dueAt)}` : html`, ${state} ${dateTime(finishedAt)}`
  }.</p></li>`;
}

export function replayForm(
  { id, kind }: Pick<EffectRecord, 'id' | 'kind'>,
  {
    root,
    session,
    returnTo,
    label,
  }: { root: string; session: OwnerSession; returnTo: 'delivery' | 'effects'; label: string },
): Html {
  return html`<form method="post" action="${root}effects/${id}/replay">${formTokenField(session)}<input type="hidden" name="back" value="${returnTo}">
<button class="second" aria-label="${label} ${kind} ${id}">${label}</button></form>`;
}
