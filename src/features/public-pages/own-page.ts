import { withoutBold } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { timeElement } from '@tallyhook/platform/web/time-element';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { StandingSummary, Standings } from '../../core/ledger/standing.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community, Directory } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import { nextVoteFor } from '../next-votes/feature.ts';
import type { PurchaseStore } from '../shop/feature.ts';
import { linkLabel } from './page.ts';
import type { MemberSession } from './sign-in.ts';
import type { PublicPageStore } from './store.ts';
import type { PublicView, VoteLink } from './view.ts';

/** The newest purchases that the page shows. */
const shownPurchases = 10;

type Purchase = Awaited<ReturnType<PurchaseStore['purchasesOf']>>[number];

/** A member's own account in one community. */
export interface OwnAccount {
  readonly standing: Pick<StandingSummary, 'credits' | 'votes' | 'rank' | 'streak' | 'month'>;
  /** Where the member votes, and when the next vote is possible (ms since the epoch); 0 for now. */
  readonly nextVotes: readonly { readonly link: VoteLink; readonly at: number }[];
  readonly purchases: readonly Pick<Purchase, 'name' | 'price' | 'state' | 'role' | 'at'>[];
  readonly isReminded: boolean;
  /** True if others see the member on the public page. */
  readonly isShown: boolean;
}

export interface AccountContext {
  readonly store: {
    standingsIn(communityId: CommunityId, timeZone: string, hiddenRoles: readonly string[]): Standings;
    readonly nextVotes: { ofMember(userId: string): Promise<Parameters<typeof nextVoteFor>[2]> };
    readonly shop: Pick<PurchaseStore, 'purchasesOf'>;
    readonly publicPages: Pick<PublicPageStore, 'absent' | 'setShown'>;
  };
  readonly directory: Pick<Directory, 'namesOf'>;
  /** The reminders of a member in these communities. */
  readonly remindersIn: (communities: readonly Community[]) => {
    isOn(userId: string): Promise<boolean>;
    switchOn(userId: string): Promise<unknown>;
    switchOff(userId: string): Promise<void>;
  };
}

/** Reads the account of a member in one community. Rejects with the errors of the store. */
export async function readAccount(
  community: Community,
  userId: string,
  { links, now }: Pick<PublicView, 'links'> & { readonly now: number },
  { store, directory, remindersIn }: AccountContext,
): Promise<OwnAccount> {
  const { id, timeZone, listings, named } = community;
  const [standing, stated, purchases, isReminded, absent] = await Promise.all([
    store.standingsIn(id, timeZone, hiddenRolesOf(listings)).summary(userId, now),
    store.nextVotes.ofMember(userId),
    store.shop.purchasesOf(userId, id, shownPurchases),
    remindersIn([community]).isOn(userId),
    store.publicPages.absent(id, [userId]),
  ]);
  const nextVotes = links.map((link) => {
    const cooldownMs = named.find(({ name }) => name === link.listing)?.rewards.base.cooldownMs ?? 0;
    const target = { names: directory.namesOf(link.listing), cooldownMs };
    return { link, at: nextVoteFor(target, standing.lastVotes, stated)?.nextVoteAt ?? 0 };
  });
  return { standing, nextVotes, purchases, isReminded, isShown: absent.length === 0 };
}

export interface OwnPage {
  readonly account: OwnAccount;
  readonly session: MemberSession;
  readonly timeZone: string;
  readonly now: number;
  readonly texts: Texts;
}

/** The page of a member, for that member alone. Its links begin at the address of the page. */
export function ownPageBody(page: OwnPage): Html {
  const { account, session, texts } = page;
  const { credits, votes, rank, streak, month } = account.standing;
  const { text, number } = texts;
  const figure = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<h1>${text('publicPage.own')}</h1>
<p class="quiet">${text('publicPage.signedInAs')} <bdi>@${session.name}</bdi></p>
<dl class="sums">${figure(text('setup.forms.credits'), number(credits))}${rank !== null && figure(text('publicPage.rank'), `#${number(rank)}`)}${figure(text('publicPage.votes'), number(month.votes))}${figure(text('publicPage.allVotes'), number(votes))}${figure(text('setup.forms.streak'), withoutBold(text('parts.days', { count: streak.days })))}</dl>
${streak.endsAt !== null && html`<p class="quiet">${text('publicPage.streakEnds')} ${time(streak.endsAt, page)}</p>`}
<div class="columns"><div>${voteSection(page)}${purchaseSection(page)}</div><div>${reminderSection(page)}${privacySection(page)}</div></div>`;
}

function voteSection(page: OwnPage): Html {
  const { account, now, texts } = page;
  const { text } = texts;
  const links = account.nextVotes.map(({ link }) => link);
  return html`<section class="card" aria-labelledby="next"><h2 id="next">${withoutBold(text('credits.nextVote'))}</h2><ul class="plain-list">${account.nextVotes.map(
    ({ link, at }) => {
      const named = link.name || link.site || text('canVote.voteButton');
      const when = at <= now ? html`<span class="mark good">${text('publicPage.now')}</span>` : time(at, page);
      return html`<li><span><bdi>${named}</bdi>${link.site !== null && !link.name.includes(link.site) && html` <span class="quiet">${link.site}</span>`}</span>
<span class="acts">${when}${link.url !== null && html`<a class="button${at > now && html` second`}" href="${link.url}" rel="noreferrer">${linkLabel(link, links, texts)}</a>`}</span></li>`;
    },
  )}</ul></section>`;
}

function purchaseSection(page: OwnPage): Html {
  const { account, texts } = page;
  const { text } = texts;
  const rows = account.purchases.map(({ name, price, state, role, at }) => {
    const shown =
      state === 'confirmed' && role !== null ? text('shop.history.rolePending') : text(`shop.history.states.${state}`);
    const paid = withoutBold(price === 0 ? text('shop.free') : text('parts.credits', { count: price }));
    const tone = { confirmed: 'busy', fulfilled: 'good', refunded: 'plain' }[state];
    return html`<li><span><bdi>${name}</bdi> <span class="quiet">${paid} · ${time(at, page)}</span></span><span class="mark ${tone}">${withoutBold(shown)}</span></li>`;
  });
  return html`<section class="card" aria-labelledby="purchases"><h2 id="purchases">${text('shop.purchases')}</h2>${
    rows.length === 0
      ? html`<p class="quiet">${withoutBold(text('shop.history.none'))}</p>`
      : html`<ul class="plain-list">${rows}</ul>`
  }</section>`;
}

function reminderSection({ account: { isReminded }, session, texts: { text } }: OwnPage): Html {
  return html`<section class="card" aria-labelledby="reminders"><h2 id="reminders">${text('setup.names.reminderChannelId')} <span class="mark ${isReminded ? 'good' : 'plain'}">${text(`remind.states.${isReminded ? 'on' : 'off'}`)}</span></h2>
<p>${text('publicPage.reminderHint')}</p>
<form method="post" action="me/reminders">${formTokenField(session)}<input type="hidden" name="state" value="${isReminded ? 'off' : 'on'}"><button class="second">${isReminded ? text('remind.stopButton') : text('remind.button')}</button></form></section>`;
}

function privacySection({ account: { isShown }, session, texts: { text } }: OwnPage): Html {
  return html`<section class="card" aria-labelledby="shown"><h2 id="shown">${text('publicPage.shown')} <span class="mark ${isShown ? 'good' : 'plain'}">${text(`remind.states.${isShown ? 'on' : 'off'}`)}</span></h2>
<p>${text('publicPage.shownHint')}</p>
<form method="post" action="me/shown">${formTokenField(session)}<input type="hidden" name="state" value="${isShown ? 'off' : 'on'}"><button class="second">${text(isShown ? 'publicPage.hide' : 'publicPage.show')}</button></form></section>
<section class="card" aria-labelledby="privacy"><h2 id="privacy">${text('publicPage.privacy')}</h2>
<p>${text('publicPage.privacyHint')}</p>
<p class="acts"><a class="button second" href="me/export" download>${text('publicPage.export')}</a> <a class="danger" href="me/forget">${text('publicPage.forget')}</a></p></section>`;
}

/** Asks before a member is forgotten. */
export function forgetBody(session: MemberSession, { text }: Texts): Html {
  const [first = '', ...others] = withoutBold(text('privacy.confirm')).split('\n\n');
  return html`<section class="card outcome"><h1>${withoutBold(text('privacy.titleConfirm'))}</h1>
<p>${withoutBold(text('privacy.everyCommunity'))}</p><p>${first}</p>${others.map((part) => html`<p class="quiet">${part}</p>`)}
<form method="post" action="forget"><p class="line">${formTokenField(session)}<button class="second danger">${text('privacy.confirmButton')}</button> <a href="../me">${text('privacy.cancelButton')}</a></p></form></section>`;
}

/** A time by the clock of the community. */
function time(at: number, { timeZone, texts: { locale } }: Pick<OwnPage, 'timeZone' | 'texts'>): Html {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return timeElement(at, format.format(at));
}
