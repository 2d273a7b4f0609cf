import type { RankedMember } from '../../core/ledger/standing.ts';
import { formatCount } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import { memberLink } from './cells.ts';
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
  readonly names: NameBook;
}

/** The members with credits, a page of them. @param offset members to skip */
export async function getMembers(
  context: OwnerContext,
  offset: number,
  limit: number,
): Promise<Omit<MembersView, 'found'>> {
  const { standings } = context.communities.home;
  const query = { period: 'all', by: 'credits', limit, offset, userId: null } as const;
  const { members, total } = await standings.leaderboard(query, context.clock.now());
  const names = await context.namesIn(context.scope)(members.map(({ userId }) => userId));
  return { members, total, offset, names };
}

export function membersPage({ found, members, total, offset, names }: MembersView, root: string): Html {
  const end = offset + members.length;
  return html`<h1>Members</h1>
<section class="card" aria-label="Search">${memberSearch(root, found?.text)}${found && results(found, root)}</section>
<section class="card" aria-labelledby="balances"><h2 id="balances">Balances</h2>${
    members.length === 0
      ? html`<p>Nobody has credits yet.</p>`
      : html`<table><thead><tr><th scope="col">Rank</th><th scope="col">Member</th><th scope="col" class="number">Balance</th></tr></thead>
<tbody>${members.map(
          ({ userId, score, rank }) => html`<tr><td data-name="Rank">${rank.toLocaleString('en')}</td>
<td data-name="Member">${memberLink(userId, root, names)}</td><td data-name="Balance" class="number">${formatCount(score, 'credit')}</td></tr>`,
        )}</tbody></table>`
  }</section>
${end < total && html`<p class="pages"><a class="button second" rel="next" href="?from=${end}">More members</a></p>`}`;
}

function results({ text, members }: FoundMembers, root: string): Html {
  if (members.size === 0) {
    return html`<p role="status">No member called <bdi>${text}</bdi> is known. Names are those of the newest votes and of Discord. With the ID it always works: in Discord, with <em>Settings → Advanced → Developer Mode</em> on, right-click the member and choose <em>Copy User ID</em>.</p>`;
  }
  const names = { member: (userId: string | null) => (userId === null ? null : (members.get(userId) ?? null)) };
  return html`<ul class="items" aria-label="Found members">${[...members.keys()].map((userId) => html`<li>${memberLink(userId, root, names)}</li>`)}</ul>`;
}
