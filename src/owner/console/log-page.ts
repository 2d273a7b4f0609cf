import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { renderChange } from '../../../commands/setup/view.ts';
import { operator } from '../../core/ledger/correction.ts';
import type { SettingsChange } from '../../features/settings/community.ts';
import type { Texts } from '../../texts/texts.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { memberLink, type NamedPage, signedCredits, untrustedText } from './cells.ts';
import { pageTabs } from './render-page.ts';
import type { Visit } from './session.ts';
import { markupHtml } from './settings/markup-html.ts';

/** The pages of the log: what people have changed, and what the bot has done in Discord. */
export function logTabs(current: string, { root, texts: { text } }: Pick<NamedPage, 'root' | 'texts'>): Html {
  const pages = [
    { path: 'changes', title: text('console.changes') },
    { path: 'effects', title: text('console.actions') },
  ];
  return pageTabs(text('console.log'), pages, { root, current });
}

const maxShown = 50;

export async function getChanges(context: OwnerContext) {
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
  { corrections, settings, names }: Awaited<ReturnType<typeof getChanges>>,
  { session, root, texts }: { readonly session: Visit; readonly root: string; readonly texts: Texts },
): Html {
  const { text } = texts;

  const page = { root, texts, names };
  const isOfServer = session.context.scope !== null;
  const undo = (id: number) =>
    html`<form method="post" action="${root}settings">${formTokenField(session)}<input type="hidden" name="a" value="undo"><input type="hidden" name="i" value="undo-${id}"><input type="hidden" name="o.id" value="${id}"><button class="second">${text('setup.buttons.undo')}</button></form>`;
  return html`<h1>${text('console.log')}</h1>
${logTabs('changes', page)}
${
  isOfServer &&
  html`<section class="card" aria-labelledby="settings"><h2 id="settings">${text('console.settings')}</h2>${
    settings.length === 0
      ? html`<p>${text('setup.history.none')}</p>`
      : html`<ul class="items">${settings.map((change) => html`<li class="with-action"><div class="text"><p class="quiet">${dateTime(change.at, texts)} · ${authorName(change.authorId, page)}${change.undoneBy !== null && ` · ${text('setup.history.undone')}`}</p>${changed(change, page)}</div>${change.undoneBy === null && undo(change.id)}</li>`)}</ul>`
  }</section>`
}
<section class="card" aria-labelledby="credits"><h2 id="credits">${text('credits.title')}</h2>${
    corrections.length === 0
      ? html`<p>${text('console.noCorrections')}</p>`
      : html`<table><thead><tr>${[text('console.labels.time'), text('console.labels.author'), text('console.labels.member'), text('console.labels.reason')].map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="number">${text('credits.title')}</th></tr></thead>
<tbody>${corrections.map(
          (
            each,
          ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(each.at, texts)}</td><td data-name="${text('console.labels.author')}">${authorName(each.author, page)}</td>
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
  return markupHtml(renderChange(change, view), names, texts);
}
