import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { renderChange } from '../../../commands/setup/view.ts';
import { operator } from '../../core/ledger/correction.ts';
import type { AuthoredCorrection } from '../../features/corrections/store.ts';
import type { SettingsChange } from '../../features/settings/community.ts';
import type { Texts } from '../../texts/texts.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { memberLink, type NamedPage, signedCredits, untrustedText } from './cells.ts';
import { markupHtml } from './settings/markup-html.ts';

/** Of each kind, the newest ones. */
const maxShown = 50;

/** What people have changed: credits, and in one community its settings. */
interface Changes {
  readonly corrections: readonly AuthoredCorrection[];
  readonly settings: readonly SettingsChange[];
  readonly names: NameBook;
}

export async function getChanges(context: OwnerContext): Promise<Changes> {
  const { corrections: store, setup, scope } = context;
  const [corrections, settings] = await Promise.all([
    store.authored({ communityId: scope?.communityId ?? null, before: null, limit: maxShown }),
    scope === null || setup === null ? [] : setup.settings.changes(scope.guildId, { before: null, limit: maxShown }),
  ]);
  const people = [
    ...corrections.flatMap(({ userId, author }) => [userId, author]),
    ...settings.map((each) => each.authorId),
  ];
  return { corrections, settings, names: await context.namesIn(scope)(people) };
}

export function changesPage(
  { corrections, settings, names }: Changes,
  { isOfServer, root, texts }: { readonly isOfServer: boolean; readonly root: string; readonly texts: Texts },
): Html {
  const { locale, text } = texts;

  const page = { root, texts, names };
  return html`<h1>${text('console.changes')}</h1>
${
  isOfServer &&
  html`<section class="card" aria-labelledby="settings"><h2 id="settings">${text('console.settings')}</h2>${
    settings.length === 0
      ? html`<p>${text('setup.history.none')}</p>`
      : html`<ul class="items">${settings.map((change) => html`<li><p class="quiet">${dateTime(change.at, locale)} · ${authorName(change.authorId, page)}${change.undoneBy !== null && ` · ${text('setup.history.undone')}`}</p>${changed(change, page)}</li>`)}</ul>
<p><a class="button second" href="${root}settings?a=history">${text('console.undoChange')}</a></p>`
  }</section>`
}
<section class="card" aria-labelledby="credits"><h2 id="credits">${text('credits.title')}</h2>${
    corrections.length === 0
      ? html`<p>${text('console.noCorrections')}</p>`
      : html`<table><thead><tr>${[text('console.labels.time'), text('console.labels.author'), text('console.labels.member'), text('console.labels.reason')].map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="number">${text('credits.title')}</th></tr></thead>
<tbody>${corrections.map(
          (
            each,
          ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(each.at, locale)}</td><td data-name="${text('console.labels.author')}">${authorName(each.author, page)}</td>
<td data-name="${text('console.labels.member')}">${memberLink(each.userId, page)}</td><td data-name="${text('console.labels.reason')}">${untrustedText(each.reason)}</td><td data-name="${text('credits.title')}" class="number">${signedCredits(each.credits, texts)}</td></tr>`,
        )}</tbody></table>`
  }</section>`;
}

function authorName(author: string, page: NamedPage): Html {
  if (author === operator) return html`${page.texts.text('console.operator')}`;
  return /^\d+$/.test(author) ? memberLink(author, page) : untrustedText(author);
}

function changed(change: SettingsChange, { texts, names }: { readonly texts: Texts; readonly names: NameBook }): Html {
  const view = { texts, community: { listings: [] }, listingNames: new Map<string, string>() };
  return markupHtml(renderChange(change, view), names, texts.locale);
}
