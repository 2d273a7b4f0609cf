import { type Html, html } from '@tallyhook/platform/web/html';
import type { RankedMember } from '../../core/ledger/standing.ts';
import { withoutGuild } from '../../features/communities/only-community.ts';
import type { Texts } from '../../texts/texts.ts';
import type { OwnerCommunity } from '../communities.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { counted, fill, memberLink } from './cells.ts';
import { memberSearch } from './member-page.ts';

/** What a search by name has found. */
export interface FoundMembers {
  readonly text: string;
  /** Names by id. */
  readonly members: ReadonlyMap<string, string>;
}

interface MembersView {
  readonly found: FoundMembers | null;
  readonly members: readonly RankedMember[];
  readonly total: number;
  /** How many members the earlier pages have. */
  readonly offset: number;
  /** The one whose members are shown, and all that can be chosen. */
  readonly community: OwnerCommunity;
  readonly communities: readonly OwnerCommunity[];
  readonly names: NameBook;
}

/** The members with credits, a page of them. @param page.guildId null for the first community; `offset`: members to skip */
export async function getMembers(
  context: OwnerContext,
  { guildId, offset, limit }: { readonly guildId: string | null; readonly offset: number; readonly limit: number },
): Promise<Omit<MembersView, 'found'>> {
  const { communities } = context;
  const all = communities.all();
  const community = guildId === null ? all[0] : communities.at(guildId);
  const { standings } = community;
  const query = { period: 'all', by: 'credits', limit, offset, userId: null } as const;
  const { members, total } = await standings.leaderboard(query, context.clock.now());
  const names = await context.namesIn(context.scope)(members.map(({ userId }) => userId));
  return { community, communities: all, members, total, offset, names };
}

export function membersPage(
  { found, community, communities, members, total, offset, names }: MembersView,
  { root, texts }: { readonly root: string; readonly texts: Texts },
): Html {
  const { text } = texts;

  const end = offset + members.length;
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
<td data-name="${text('console.labels.member')}">${memberLink(userId, { root, texts, names })}</td><td data-name="${text('console.labels.balance')}" class="number">${counted(texts.text('parts.credits', { count: score }))}</td></tr>`,
        )}</tbody></table>`
  }</section>
${end < total && html`<p class="pages"><a class="button second" rel="next" href="?from=${end}${communities.length > 1 && html`&amp;guildId=${community.guildId ?? withoutGuild}`}">${text('console.moreMembers')}</a></p>`}`;
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
