import { maxCorrection, maxReasonLength } from '../../ledger/correction.ts';
import { type Html, html } from '../../web/html.ts';
import { ago, counted, moment } from '../../web/relative-time.ts';
import { explainDelivery } from '../explain.ts';
import type { MemberDetails, VoteTimes } from '../get-member.ts';
import type { DeliveryRecord, EntryRecord } from '../records.ts';
import { deliveryLink, foreign, mark, signed } from './cells.ts';
import { formToken } from './layout.ts';
import { memberSearch } from './member-search.ts';
import { visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

/** What stands in the correction's form when it is shown again. */
export interface CorrectionDraft {
  readonly credits: string;
  readonly reason: string;
  readonly fault: string;
}

export interface MemberView extends MemberDetails {
  readonly draft: CorrectionDraft | null;
  readonly now: number;
}

export function memberPage(view: MemberView, up: string, session: OwnerSession): Html {
  const { account, unpaid, now } = view;
  const { rows: entries, next } = view.entries;
  const { userId, credits, votes } = account;
  return html`<p class="trail"><a href="${up}users">Members</a></p>
<h1>Member ${userId}</h1>
<dl class="sums"><div><dt>Balance</dt><dd>${counted(credits, 'credit')}</dd></div><div><dt>Votes that count</dt><dd>${votes.toLocaleString('en')}</dd></div>
${view.listings.map((times) => nextVote(times, now))}</dl>
<div class="columns">
<section class="card" aria-labelledby="entries"><h2 id="entries">Every entry</h2>${entryTable(entries, up)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?before=${next}">Older entries</a></p>`}</section>
<section class="card" aria-labelledby="correct"><h2 id="correct">Correct the account</h2>${correctionForm(view, up, session)}</section>
</div>
<section class="card" aria-labelledby="unpaid"><h2 id="unpaid">Deliveries that paid nothing</h2>${unpaidList(unpaid, up, now)}
<p><a href="${up}deliveries?user=${userId}">All deliveries that name this member</a></p></section>
<section class="card" aria-labelledby="another"><h2 id="another">Another member</h2>${memberSearch(up)}</section>`;
}

function nextVote({ listing, lastVoteAt, nextVoteAt }: VoteTimes, now: number): Html {
  const open = nextVoteAt === null || nextVoteAt <= now;
  return html`<div><dt>Next vote for <bdi>${listing}</bdi></dt><dd>${open ? 'now' : moment(nextVoteAt)}
<span class="quiet">${lastVoteAt === null ? 'has not voted yet' : html`last voted ${ago(lastVoteAt, now)}`}</span></dd></div>`;
}

function entryTable(entries: readonly EntryRecord[], up: string): Html {
  if (entries.length === 0) return html`<p>No entry stands in the ledger.</p>`;
  return html`<table><thead><tr><th scope="col">When</th><th scope="col">Cause</th><th scope="col" class="number">Credits</th><th scope="col">Delivery</th></tr></thead>
<tbody>${entries.map(
    ({ at, cause, reason, listing, credits, deliveryId }) => html`<tr><td data-name="When">${moment(at)}</td>
<td data-name="Cause">${cause.replaceAll('_', ' ')}${listing !== null && html` · <bdi>${listing}</bdi>`}${reason !== null && reason !== cause && html`<br><span class="quiet">${foreign(reason)}</span>`}</td>
<td data-name="Credits" class="number">${signed(credits)}</td><td data-name="Delivery">${deliveryLink(deliveryId, up)}</td></tr>`,
  )}</tbody></table>`;
}

function unpaidList(unpaid: readonly DeliveryRecord[], up: string, now: number): Html {
  if (unpaid.length === 0) return html`<p>None among the newest hundred of this member.</p>`;
  return html`<ul class="items">${unpaid.map(
    (
      delivery,
    ) => html`<li><div class="line"><h3>${deliveryLink(delivery.id, up)}</h3> ${mark(delivery.outcome)} <span class="quiet">${ago(delivery.receivedAt, now)}</span></div>
<p dir="auto">${visible(explainDelivery(delivery))}</p></li>`,
  )}</ul>`;
}

function correctionForm({ account, draft }: MemberView, up: string, session: OwnerSession): Html {
  return html`${draft && html`<p class="notice bad" role="alert" id="fault">${draft.fault}</p>`}
<form class="stack" method="post" action="${up}users/${account.userId}/corrections">${formToken(session)}
<label for="credits">Credits, negative to take some back</label>
<input id="credits" name="credits" type="number" required step="1" min="${-maxCorrection}" max="${maxCorrection}" value="${draft?.credits ?? ''}"${draft && html` aria-describedby="fault"`}>
<label for="reason">Reason</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" value="${draft?.reason ?? ''}" dir="auto" autocomplete="off">
<button>Review</button>
<p class="quiet">No entry is ever changed: a correction is one more, with your words.</p>
</form>`;
}
