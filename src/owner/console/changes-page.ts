import { renderChange } from '../../../commands/setup/results.ts';
import type { AuthoredCorrection } from '../../features/corrections/store.ts';
import type { SettingsChange } from '../../features/setup/community.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import { textsFor } from '../../texts/texts.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { memberLink, signedCredits, untrustedText } from './cells.ts';
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
    store.authored({ accounts: scope?.accounts ?? null, before: null, limit: maxShown }),
    scope === null || setup === null ? [] : setup.settings.changes(scope.guildId, { before: null, limit: maxShown }),
  ]);
  const people = [
    ...corrections.flatMap(({ userId, author }) => [userId, author]),
    ...settings.map((each) => each.authorId),
  ];
  return { corrections, settings, names: await context.namesIn(scope)(people) };
}

export function changesPage({ corrections, settings, names }: Changes, isOfServer: boolean, root: string): Html {
  return html`<h1>Changes</h1>
${
  isOfServer &&
  html`<section class="card" aria-labelledby="settings"><h2 id="settings">Settings</h2>${
    settings.length === 0
      ? html`<p>Nothing was changed yet.</p>`
      : html`<ul class="items">${settings.map((change) => html`<li><p class="quiet">${dateTime(change.at)} by ${authorName(change.authorId, names, root)}${change.undoneBy !== null && ', undone'}</p>${changed(change, names)}</li>`)}</ul>
<p><a class="button second" href="${root}settings?a=history">Undo a change</a></p>`
  }</section>`
}
<section class="card" aria-labelledby="credits"><h2 id="credits">Credits</h2>${
    corrections.length === 0
      ? html`<p>Nobody has corrected an account yet.</p>`
      : html`<table><thead><tr><th scope="col">Time</th><th scope="col">Author</th><th scope="col">Member</th><th scope="col">Reason</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${corrections.map(
          ({
            at,
            author,
            userId,
            reason,
            credits,
          }) => html`<tr><td data-name="Time">${dateTime(at)}</td><td data-name="Author">${authorName(author, names, root)}</td>
<td data-name="Member">${memberLink(userId, root, names)}</td><td data-name="Reason">${untrustedText(reason)}</td><td data-name="Credits" class="number">${signedCredits(credits)}</td></tr>`,
        )}</tbody></table>`
  }</section>`;
}

function authorName(author: string, names: NameBook, root: string): Html {
  return /^\d+$/.test(author) ? memberLink(author, root, names) : untrustedText(author);
}

function changed(change: SettingsChange, names: NameBook): Html {
  const view = { texts: textsFor('en-US'), community: { listings: [] }, listingNames: new Map<string, string>() };
  return markupHtml(renderChange(change, view), names);
}
