import type { Request, Response } from 'express';
import { maxCorrection, maxReasonLength } from '../../core/ledger/correction.ts';
import type { Cause } from '../../core/ledger/entry.ts';
import type { DeliveryRecord, LedgerEntry } from '../../core/records/records.ts';
import { explainDelivery } from '../../features/traces/explain.ts';
import { formatCount } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { PageRequest } from '../../platform/web/pagination.ts';
import { dateTime, timeAgo } from '../../platform/web/time-element.ts';
import { getMember, type MemberDetails, type VoteTimes } from '../get-member.ts';
import type { NameBook } from '../names.ts';
import { deliveryLink, named, signedCredits, statusBadge, untrustedText } from './cells.ts';
import { visible } from './pretty-json.ts';
import { relativeRoot, renderPage } from './render-page.ts';
import type { OwnerSession, Visit } from './session.ts';

/** A correction that was rejected: its input and the error message. */
export interface RejectedCorrection {
  readonly credits: string;
  readonly reason: string;
  readonly message: string;
}

interface MemberView extends MemberDetails {
  readonly rejected: RejectedCorrection | null;
  readonly names: NameBook;
  readonly now: number;
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
  const [member, names] = await Promise.all([
    getMember(context, userId, page, guildId),
    context.namesIn(context.scope)([userId]),
  ]);
  const body = memberPage(
    { ...member, rejected, names, now: context.clock.now() },
    relativeRoot(request.path),
    session,
  );
  renderPage(request, response, { title: `Member ${visible(names.member(userId) ?? userId)}`, session, body });
}

/** The field finds members by name; an id, which is also accepted, leads to the member at once. */
export function memberSearch(root: string, text = ''): Html {
  return html`<form class="line" method="get" action="${root}users" role="search">
  <label for="member-id">Member's name or Discord ID</label>
  <input id="member-id" name="id" required maxlength="100" value="${text}" autocomplete="off" dir="auto">
  <button>Look up</button>
</form>`;
}

function memberPage(view: MemberView, root: string, session: OwnerSession): Html {
  const { standing, unpaid, names, now } = view;
  const name = names.member(standing.userId);
  const { rows: entries, next } = view.entries;
  const { userId, credits, votes, rank, streak, grants } = standing;
  return html`<p class="trail"><a href="${root}users">Members</a></p>
<h1>Member ${name === null ? userId : html`<bdi title="${userId}">${visible(name)}</bdi>`}</h1>
${name !== null && html`<p class="quiet">Discord ID ${userId}</p>`}
${accountLinks(view, root)}
<dl class="sums"><div><dt>Balance</dt><dd>${formatCount(credits, 'credit')}</dd></div><div><dt>Counted votes</dt><dd>${votes.toLocaleString('en')}</dd></div>
<div><dt>Rank by credits</dt><dd>${rank === null ? 'none' : rank.toLocaleString('en')}</dd></div>
<div><dt>Streak</dt><dd>${formatCount(streak.days, 'day')}${streak.endsAt !== null && html` <span class="quiet">ends ${dateTime(streak.endsAt)}</span>`}</dd></div>
${grants.map(
  ({ role, until }) =>
    html`<div><dt>Role ${named(role, names.role(role))}</dt><dd>${until === null ? 'permanent' : html`until ${dateTime(until)}`}</dd></div>`,
)}
${view.listings.map((times) => nextVote(times, names, now))}</dl>
<div class="columns">
<section class="card" aria-labelledby="entries"><h2 id="entries">Entries</h2>${entryTable(entries, names, root)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?before=${next}">Older entries</a></p>`}</section>
<section class="card" aria-labelledby="correct"><h2 id="correct">Correct the account</h2>${correctionForm(view, root, session)}</section>
</div>
<section class="card" aria-labelledby="unpaid"><h2 id="unpaid">Deliveries that paid nothing</h2>${unpaidList(unpaid, root, now)}
<p><a href="${root}deliveries?user=${userId}">All deliveries of this member</a></p></section>
<section class="card" aria-labelledby="another"><h2 id="another">Another member</h2>${memberSearch(root)}</section>`;
}

/** The accounts in other communities, if there are several. */
function accountLinks({ standing, accounts, guildId: shown }: MemberView, root: string): Html | null {
  if (accounts.length <= 1) return null;
  const link = ({ guildId, standing: { credits } }: MemberView['accounts'][number]) => {
    const name = html`Server ${guildId ?? 'without id'}: ${formatCount(credits, 'credit')}`;
    return guildId === shown || guildId === null
      ? html`<li><strong>${name}</strong></li>`
      : html`<li><a href="${root}users/${standing.userId}?guildId=${guildId}">${name}</a></li>`;
  };
  return html`<ul class="items">${accounts.map(link)}</ul>`;
}

function nextVote({ listing, lastVoteAt, nextVoteAt }: VoteTimes, names: NameBook, now: number): Html {
  const isOpen = nextVoteAt === null || nextVoteAt <= now;
  return html`<div><dt>Next vote for ${named(listing, names.listing(listing))}</dt><dd>${isOpen ? 'now' : dateTime(nextVoteAt)}
<span class="quiet">${lastVoteAt === null ? 'no votes yet' : html`last vote ${timeAgo(lastVoteAt, now)}`}</span></dd></div>`;
}

function entryTable(entries: readonly LedgerEntry[], names: NameBook, root: string): Html {
  if (entries.length === 0) return html`<p>The ledger has no entries of this member.</p>`;
  return html`<table><thead><tr><th scope="col">Time</th><th scope="col">Cause</th><th scope="col" class="number">Credits</th><th scope="col">Delivery</th></tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr><td data-name="Time">${dateTime(entry.at)}</td>
<td data-name="Cause">${entryCause(entry, names)}</td>
<td data-name="Credits" class="number">${signedCredits(entry.credits)}</td><td data-name="Delivery">${deliveryLink(entry.deliveryId, root)}</td></tr>`,
  )}</tbody></table>`;
}

function entryCause({ cause, reason, listing, key }: LedgerEntry, names: NameBook): Html {
  if (key !== undefined)
    return html`${untrustedText(reason)}<br><span class="quiet">your program, key ${untrustedText(key)}</span>`;
  return html`${causeNames[cause]}${listing !== null && html` · ${named(listing, names.listing(listing))}`}${reason !== null && reason !== cause && html`<br><span class="quiet">${untrustedText(reason)}</span>`}`;
}

function unpaidList(unpaid: readonly DeliveryRecord[], root: string, now: number): Html {
  if (unpaid.length === 0) return html`<p>None among this member's newest 100 deliveries.</p>`;
  return html`<ul class="items">${unpaid.map(
    (
      delivery,
    ) => html`<li><div class="line"><h3>${deliveryLink(delivery.id, root)}</h3> ${statusBadge(delivery.outcome)} <span class="quiet">${timeAgo(delivery.receivedAt, now)}</span></div>
<p dir="auto">${visible(explainDelivery(delivery))}</p></li>`,
  )}</ul>`;
}

function correctionForm({ standing, guildId, rejected }: MemberView, root: string, session: OwnerSession): Html {
  return html`${rejected && html`<p class="notice bad" role="alert" id="fault">${rejected.message}</p>`}
<form class="stack" method="post" action="${root}users/${standing.userId}/corrections">${formTokenField(session)}${guildId !== null && html`<input type="hidden" name="guildId" value="${guildId}">`}
<label for="credits">Credits (negative to take back)</label>
<input id="credits" name="credits" type="number" required step="1" min="${-maxCorrection}" max="${maxCorrection}" value="${rejected?.credits ?? ''}"${rejected && html` aria-describedby="fault"`}>
<label for="reason">Reason</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" value="${rejected?.reason ?? ''}" dir="auto" autocomplete="off">
<button>Review</button>
<p class="quiet">Entries are never changed: a correction is an additional entry with your reason.</p>
</form>`;
}

/** The causes of entries in words. */
const causeNames: Readonly<Record<Cause, string>> = {
  vote: 'vote',
  denied: 'denied vote',
  claim: 'claimed vote',
  within_cooldown: 'vote within the cooldown',
  premium: 'premium',
  revoked: 'revoked premium',
  streak: 'streak',
  milestone: 'milestone',
  party: 'vote party',
  allListings: 'votes on all listings',
  purchase: 'purchase',
  refund: 'refund',
  correction: 'correction',
};
