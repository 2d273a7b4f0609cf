import { type Html, html } from '@tallyhook/platform/web/html';
import { timeAgo } from '@tallyhook/platform/web/time-element';
import type { WebhookAttempt } from '../../../features/events/store.ts';
import type { Texts } from '../../../texts/texts.ts';
import { untrustedText, visible } from '../cells.ts';

/** Characters of a response that are shown. */
const maxResponseLength = 300;

/** The requests to an endpoint. @param page `back` is the address of the page of the endpoint, `now` in ms since the epoch */
export function attemptsPage(
  { host, attempts }: { readonly host: string; readonly attempts: readonly WebhookAttempt[] },
  page: { readonly back: string; readonly now: number; readonly texts: Texts },
): Html {
  const { text } = page.texts;
  return html`<p class="trail"><a href="${page.back}">${visible(host)}</a></p>
<h1>${text('setup.buttons.attempts')}</h1>
${attempts.length === 0 ? html`<p class="card">${text('setup.webhooks.noAttempts')}</p>` : attemptTable(attempts, page)}`;
}

function attemptTable(
  attempts: readonly WebhookAttempt[],
  { now, texts }: { readonly now: number; readonly texts: Texts },
): Html {
  const { number, text } = texts;
  const names = ['time', 'event', 'status', 'duration', 'response'] as const;
  const cell = (name: (typeof names)[number], content: Html) =>
    html`<td data-name="${text(`console.labels.${name}`)}">${content}</td>`;
  return html`<div class="card flush"><table><thead><tr>${names.map((name) => html`<th scope="col">${text(`console.labels.${name}`)}</th>`)}</tr></thead>
<tbody>${attempts.map(({ at, type, status, error, durationMs, response }) => {
    const tone = error === null ? 'good' : 'bad';
    return html`<tr>${cell('time', timeAgo(at, now, texts.locale))}${cell('event', untrustedText(type))}
${cell('status', html`<span class="mark ${tone}">${status ?? text('setup.webhooks.noResponse')}</span>`)}
${cell('duration', html`${number(durationMs)} ms`)}${cell('response', responseHtml(error, response))}</tr>`;
  })}</tbody></table></div>`;
}

/** The error of an attempt, in English, and the beginning of the response. */
function responseHtml(error: string | null, response: string | null): Html {
  if (!error && !response) return untrustedText(null);
  return html`${error !== null && html`<span lang="en">${visible(error)}</span> `}${response && html`<code>${visible(response.slice(0, maxResponseLength))}</code>`}`;
}
