import { withoutBold } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { PageRequest } from '@tallyhook/platform/web/pagination';
import { dateTime, timeAgo } from '@tallyhook/platform/web/time-element';
import type { Request, Response } from 'express';
import { causeName, entryReason, giftText } from '../../../commands/entry-reason.ts';
import { maxCorrection, maxReasonLength } from '../../core/ledger/correction.ts';
import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import { withoutGuild } from '../../features/communities/directory.ts';
import type { Texts } from '../../texts/texts.ts';
import type { OwnerCommunity } from '../communities.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { getLeaderboard, getMember, type MemberDetails, richest, type VoteTimes } from '../queries.ts';
import {
  avatar,
  deliveryLink,
  fill,
  listingTitle,
  memberLink,
  type NamedPage,
  named,
  outcomeBadge,
  signedCredits,
  untrustedText,
  visible,
} from './cells.ts';
import { explainInWords } from './reason.ts';
import { relativeRoot, renderPage, textsOf } from './render-page.ts';
import type { OwnerSession, Visit } from './session.ts';
import { inlineMarkup } from './settings/markup-html.ts';

interface FoundMembers {
  readonly text: string;
  readonly members: ReadonlyMap<string, string>;
}

/** The members with credits, a page of them. @param query.guildId null for the first community */
export async function getMembers(
  context: OwnerContext,
  { guildId, ...page }: PageRequest & { readonly guildId: string | null },
) {
  const { communities } = context;
  const all = communities.all();
  const community = guildId === null ? all[0] : communities.at(guildId);
  const { members, next } = await getLeaderboard(community, { ...richest, ...page }, context.clock.now());
  const names = await context.namesIn(context.scope)(members.map(({ userId }) => userId));
  return { community, communities: all, members, next, names };
}

export function membersPage(
  {
    found,
    community,
    communities,
    members,
    next,
    names,
  }: Awaited<ReturnType<typeof getMembers>> & {
    readonly found: FoundMembers | null;
  },
  { root, texts }: { readonly root: string; readonly texts: Texts },
): Html {
  const { text } = texts;

  return html`<h1>${text('console.members')}</h1>
<section class="card">${memberSearch(root, texts, found?.text)}${found && results(found, root, texts)}</section>
<section class="card" aria-labelledby="balances"><h2 id="balances">${text('console.balances')}</h2>${communityLinks(community, communities, texts)}${
    members.length === 0
      ? html`<p>${text('console.noBalances')}</p>`
      : html`<table><thead><tr><th scope="col">${text('console.labels.rank')}</th><th scope="col">${text('console.labels.member')}</th><th scope="col" class="number">${text('console.labels.balance')}</th></tr></thead>
<tbody>${members.map(
          ({
            userId,
            score,
            rank,
          }) => html`<tr><td data-name="${text('console.labels.rank')}">${texts.number(rank)}</td>
<td data-name="${text('console.labels.member')}"><span class="person">${avatar(userId, { names, root })} ${memberLink(userId, { root, texts, names })}</span></td><td data-name="${text('console.labels.balance')}" class="number">${withoutBold(texts.text('parts.credits', { count: score }))}</td></tr>`,
        )}</tbody></table>`
  }</section>
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?from=${next}${communities.length > 1 && html`&amp;guildId=${community.guildId ?? withoutGuild}`}">${text('console.moreMembers')}</a></p>`}`;
}

/** The other communities, if there are several: what the operator alone sees. */
function communityLinks(shown: OwnerCommunity, all: readonly OwnerCommunity[], texts: Texts): Html | null {
  if (all.length <= 1) return null;
  const link = ({ id, guildId }: OwnerCommunity) => {
    const name = `${texts.text('listing.kinds.server')} ${guildId ?? '–'}`;
    return id === shown.id
      ? html`<li><strong>${name}</strong></li>`
      : html`<li><a href="?guildId=${guildId ?? withoutGuild}">${name}</a></li>`;
  };
  return html`<ul class="items">${all.map(link)}</ul>`;
}

function results({ text, members }: FoundMembers, root: string, texts: Texts): Html {
  if (members.size === 0) {
    return html`<p role="status">${fill(texts, 'console.notFound', { name: html`<bdi>${text}</bdi>` })}</p>`;
  }
  const names = { member: (userId: string | null) => (userId === null ? null : (members.get(userId) ?? null)) };
  return html`<ul class="items" aria-label="${texts.text('console.found')}">${[...members.keys()].map((userId) => html`<li>${memberLink(userId, { root, texts, names })}</li>`)}</ul>`;
}

interface RejectedCorrection {
  readonly credits: string;
  readonly reason: string;
  readonly message: string;
}

interface MemberView extends MemberDetails, NamedPage {
  readonly rejected: RejectedCorrection | null;
  readonly names: NameBook;
  readonly now: number;
  readonly session: OwnerSession;
}

/** Sends a member's page. @param options `page` of the entries; `rejected` fills the correction form again */
export async function renderMemberPage(options: {
  readonly request: Request;
  readonly response: Response;
  readonly session: Visit;
  readonly userId: string;
  /** Null for the first account of the member. */
  readonly guildId: string | null;
  readonly page: PageRequest;
  readonly rejected: RejectedCorrection | null;
}): Promise<void> {
  const { request, response, session, userId, guildId, page, rejected } = options;
  const { context } = session;
  const texts = textsOf(request);
  const [member, names] = await Promise.all([
    getMember(context, userId, page, guildId === null ? null : context.communities.at(guildId)),
    context.namesIn(context.scope)([userId]),
  ]);
  const root = relativeRoot(request.path);
  const body = memberPage({ ...member, rejected, names, now: context.clock.now(), root, texts, session });
  const title = texts.text('console.memberTitle', { name: visible(names.member(userId) ?? userId) });
  renderPage(request, response, { title, session, body });
}

/** The field finds members by name; an id, which is also accepted, leads to the member at once. */
export function memberSearch(root: string, texts: Texts, text = ''): Html {
  return html`<form class="line" method="get" action="${root}users" role="search">
  <label for="member-id">${texts.text('console.search')}</label>
  <input id="member-id" name="id" required maxlength="100" value="${text}" autocomplete="off" dir="auto">
  <button>${texts.text('console.lookUp')}</button>
</form>`;
}

function memberPage(view: MemberView): Html {
  const { standing, unpaid, names, root, texts } = view;
  const { text } = texts;

  const { rows: entries, next } = view.entries;
  const { userId, credits, votes, rank, streak, grants } = standing;
  const name = names.member(userId);
  const time = (at: number) => dateTime(at, texts);
  return html`<p class="trail"><a href="${root}users">${text('console.members')}</a></p>
<h1 class="person">${avatar(userId, { names, root })} <span>${fill(texts, 'console.memberTitle', { name: name === null ? userId : html`<bdi title="${userId}">${visible(name)}</bdi>` })}</span></h1>
${name !== null && html`<p class="quiet">Discord ID ${userId}</p>`}
${accountLinks(view)}
<dl class="sums"><div><dt>${text('console.labels.balance')}</dt><dd>${withoutBold(texts.text('parts.credits', { count: credits }))}</dd></div><div><dt>${text('console.labels.countedVotes')}</dt><dd>${texts.number(votes)}</dd></div>
<div><dt>${text('console.labels.rankByCredits')}</dt><dd>${rank === null ? text('console.none') : texts.number(rank)}</dd></div>
<div><dt>${text('setup.buttons.streak')}</dt><dd>${withoutBold(texts.text('parts.days', { count: streak.days }))}${streak.endsAt !== null && html` <span class="quiet">${fill(texts, 'console.streakEnds', { time: time(streak.endsAt) })}</span>`}</dd></div>
${grants.map(
  ({ role, until }) =>
    html`<div><dt>${text('setup.fields.milestoneRole')} ${named(role, names.role(role))}</dt><dd>${until === null ? text('console.permanent') : fill(texts, 'trace.until', { time: time(until) })}</dd></div>`,
)}
${view.listings.map((times) => nextVote(times, view))}</dl>
<div class="columns">
<section class="card" aria-labelledby="entries"><h2 id="entries">${text('console.entries')}</h2>${entryTable(entries, view)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?before=${next}">${text('setup.buttons.older')}</a></p>`}</section>
<section class="card" aria-labelledby="correct"><h2 id="correct">${text('console.correct.title')}</h2>${correctionForm(view)}</section>
</div>
<section class="card" aria-labelledby="unpaid"><h2 id="unpaid">${text('console.unpaid')}</h2>${unpaidList(unpaid, view)}
<p><a href="${root}deliveries?user=${userId}">${text('console.ofMember')}</a></p></section>
<section class="card" aria-labelledby="another"><h2 id="another">${text('console.another')}</h2>${memberSearch(root, texts)}</section>`;
}

/** The accounts in other communities, if there are several: what the operator alone sees. */
function accountLinks({ standing, accounts, guildId: shown, root, texts }: MemberView): Html | null {
  if (accounts.length <= 1) return null;
  const link = ({ guildId, standing: { credits } }: MemberView['accounts'][number]) => {
    const name = html`${texts.text('listing.kinds.server')} ${guildId ?? '–'}: ${withoutBold(texts.text('parts.credits', { count: credits }))}`;
    return guildId === shown || guildId === null
      ? html`<li><strong>${name}</strong></li>`
      : html`<li><a href="${root}users/${standing.userId}?guildId=${guildId}">${name}</a></li>`;
  };
  return html`<ul class="items">${accounts.map(link)}</ul>`;
}

function nextVote({ listing, lastVoteAt, nextVoteAt }: VoteTimes, { names, now, texts }: MemberView): Html {
  const { locale, text } = texts;
  const isOpen = nextVoteAt === null || nextVoteAt <= now;
  return html`<div><dt>${fill(texts, 'console.nextVote', { name: listingTitle(listing, names) })}</dt><dd>${isOpen ? text('console.now') : dateTime(nextVoteAt, texts)}
<span class="quiet">${lastVoteAt === null ? text('console.noVotes') : fill(texts, 'canVote.lastVote', { time: timeAgo(lastVoteAt, now, locale) })}</span></dd></div>`;
}

function entryTable(entries: readonly LedgerEntry[], { root, names, texts }: MemberView): Html {
  const { text } = texts;
  if (entries.length === 0) return html`<p>${text('console.noEntries')}</p>`;
  const credits = texts.text('credits.title');
  return html`<table><thead><tr><th scope="col">${text('console.labels.time')}</th><th scope="col">${text('console.labels.cause')}</th><th scope="col" class="number">${credits}</th><th scope="col">${text('console.labels.delivery')}</th></tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(entry.at, texts)}</td>
<td data-name="${text('console.labels.cause')}">${entryCause(entry, names, texts)}</td>
<td data-name="${credits}" class="number">${signedCredits(entry.credits, texts)}</td><td data-name="${text('console.labels.delivery')}">${deliveryLink(entry.deliveryId, root)}</td></tr>`,
  )}</tbody></table>`;
}

function entryCause({ cause, reason, listing, key }: LedgerEntry, names: NameBook, texts: Texts): Html {
  if (key !== undefined)
    return html`${untrustedText(reason)}<br><span class="quiet">${fill(texts, 'console.ofProgram', { key: untrustedText(key) })}</span>`;
  const gift = giftText({ cause, reason }, texts);
  if (gift !== null) return html`${inlineMarkup(gift, names)}`;
  const why = entryReason(cause, reason, texts);
  return html`${causeName(cause, texts)}${listing !== null && html` · ${listingTitle(listing, names)}`}${why !== null && html`<br><span class="quiet">${inlineMarkup(why, names)}</span>`}`;
}

function unpaidList(unpaid: readonly DeliveryRecord[], view: MemberView): Html {
  const { root, now, texts } = view;
  if (unpaid.length === 0) return html`<p>${texts.text('console.noUnpaid')}</p>`;
  return html`<ul class="items">${unpaid.map(
    (
      delivery,
    ) => html`<li><div class="line"><h3>${deliveryLink(delivery.id, root)}</h3> ${outcomeBadge(delivery, texts)} <span class="quiet">${timeAgo(delivery.receivedAt, now, texts.locale)}</span></div>
${explainInWords(delivery, null, view)}</li>`,
  )}</ul>`;
}

function correctionForm({ standing, guildId, rejected, names, root, session, texts }: MemberView): Html {
  const { text } = texts;
  return html`${rejected && html`<p class="notice bad" role="alert" id="fault">${inlineMarkup(rejected.message, names, texts)}</p>`}
<form class="stack" method="post" action="${root}users/${standing.userId}/corrections">${formTokenField(session)}${guildId !== null && html`<input type="hidden" name="guildId" value="${guildId}">`}
<label for="credits">${text('console.correct.credits')}</label>
<input id="credits" name="credits" type="number" required step="1" min="${-maxCorrection}" max="${maxCorrection}" value="${rejected?.credits ?? ''}"${rejected && html` aria-describedby="fault"`}>
<label for="reason">${text('console.labels.reason')}</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" value="${rejected?.reason ?? ''}" dir="auto" autocomplete="off">
<button>${text('console.correct.review')}</button>
<p class="quiet">${text('console.correct.hint')}</p>
</form>`;
}
