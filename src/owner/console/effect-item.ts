import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { effectName } from '../../core/outbox/effect-kind.ts';
import type { EffectRecord } from '../../core/records/records.ts';
import { deliveryLink, tones } from './cells.ts';
import { type ReasonView, reasonHtml } from './reason.ts';
import type { Visit } from './session.ts';

/** What effects are shown with. */
export interface EffectView extends ReasonView {
  readonly root: string;
  readonly session: Visit;
  /** The page to show after a replay. */
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
<p class="quiet">${text('console.labels.created')}: ${dateTime(createdAt, texts.locale)} · ${label}: ${dateTime(at, texts.locale)} · ${text('console.labels.attempts')}: ${texts.number(attempts)}${
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
