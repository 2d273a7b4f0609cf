import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { pagePath } from '../../listing/listing.ts';
import type { findInviteCheck } from '../../storage/listings/invite-checks.ts';
import { copyable } from '../copyable.ts';
import { languageParameter } from '../language.ts';
import type { OwnerCall } from '../page-routes.ts';
import { badgePath } from '../previews/preview-tags.ts';
import { sectionHead } from '../render-page.ts';

/** @param check null if the members are not counted by the invite */
export function inviteSection(owned: OwnerCall, check: Awaited<ReturnType<typeof findInviteCheck>>): Html {
  const { listing, visitor, now, texts } = owned;
  const { text } = texts;
  const { problem = null, readAt = null } = check ?? {};
  return html`<section class="card" aria-labelledby="invite">${sectionHead('invite', text(`edit.invite.${listing.kind}`), owned)}
${problem !== null && html`<p class="bad">${text(`edit.lostInvite.${problem}`)}</p>`}
<form class="stack" method="post" action="/dashboard/${listing.id}/invite">${formTokenField(visitor)}
  <label>${text('edit.inviteAddress')} <input name="invite" maxlength="500" inputmode="url" autocomplete="off" value="${listing.invite ?? ''}">
    <span class="hint">${text(`edit.inviteHint.${listing.kind}`)}</span></label>
  <button>${text('edit.save')}</button>
</form>
${readAt !== null && html`<p class="quiet">${texts.fill('edit.membersRead', { time: texts.ago(readAt, now) })}</p>`}</section>`;
}

/** The badge that the owner embeds elsewhere, in the language in which the owner reads this. @param origin of the service */
export function badgeSection({ listing, texts }: OwnerCall, origin: string): Html {
  const { locale, text } = texts;
  const image = `${badgePath(listing)}?${languageParameter}=${locale}`;
  const page = origin + pagePath(listing);
  const title = texts.text('listing.voteFor', { name: listing.name });
  const snippets = {
    HTML: html`<a href="${page}"><img src="${origin}${image}" alt="${title}" height="28"></a>`.text,
    Markdown: `[![${title.replace(/[\\[\]`*_<>]/g, '\\$&')}](${origin}${image})](${page})`,
  };
  return html`<section class="card" aria-labelledby="badge"><h2 id="badge">${text('edit.badge')}</h2>
<p class="quiet">${text('edit.badgeHint')}</p>
<p><img src="${image}" alt="${title}" height="28"></p>
${Object.entries(snippets).map(([name, snippet]) => html`<p dir="ltr"><strong>${name}</strong><br>${copyable(snippet, texts)}</p>`)}</section>`;
}
