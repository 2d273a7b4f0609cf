import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { html } from '@tallyhook/platform/web/html';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Outbox } from '../../core/outbox/outbox.ts';
import type { Replay } from '../../core/receiving/replay.ts';
import type { Records } from '../../core/records/records.ts';
import { refusalOf } from '../../webhook/rejections.ts';
import type { Community } from '../communities/feature.ts';
import type { ConsoleCard, FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { createGuardServices, createMembershipHandler } from './membership.ts';
import { findRobots, minVotes, type Robot } from './robots.ts';
import type { GuardStore } from './store.ts';

interface WithReplay {
  readonly replay: Replay;
  readonly store: { readonly guards: GuardStore; readonly records: Pick<Records, 'delivery'> };
}

/** Refused votes that managers of the guild pay all the same. */
export interface RefusedVotes {
  /**
   * Pays a refused vote of a member once ever. Null if it is not refused, or not any more. Rejects with the errors of the
   * store.
   */
  pay(deliveryId: number, userId: string, author: string): Promise<{ readonly credits: number } | null>;
}

export function createRefusedVotes(
  { replay, store: { records }, log }: WithReplay & Pick<ServicesContext, 'log'>,
  communities: readonly Pick<Community, 'id' | 'listings'>[],
): RefusedVotes {
  return {
    async pay(deliveryId, userId, author) {
      const delivery = await records.delivery(deliveryId);
      if (delivery === null || delivery.userId !== userId || refusalOf(delivery) === null) return null;
      const isOwn = ({ name }: { readonly name: string }, id: CommunityId) =>
        name === delivery.listing && delivery.origin?.every(({ communityId }) => communityId === id) === true;
      if (!communities.some(({ id, listings }) => listings.some((listing) => isOwn(listing, id)))) return null;
      const { outcome, credits } = await replay(delivery);
      log.info({ delivery: deliveryId, outcome, credits, author }, 'a manager paid a refused vote');
      return outcome === 'recorded' ? { credits } : null;
    },
  };
}

export function createServices(context: ServicesContext & WithReplay) {
  const { store, directory, clock } = context;
  return {
    shared: { guards: createGuardServices(context) },
    commandsIn: ({ communities, isManaged }) => ({
      refusedVotes: isManaged ? createRefusedVotes(context, communities) : null,
    }),
    cards: [robotCard(store.guards, () => directory.communities, clock)],
  } satisfies FeatureServices;
}

export function create(
  context: PartsContext & WithReplay & { readonly store: { readonly outbox: Pick<Outbox, 'enqueue'> } },
) {
  return { effects: [createMembershipHandler(context)] } satisfies FeatureParts;
}

/** How long what was found is shown (ms): looking takes up to a second in a large community. */
const shownForMs = minute;
/** Communities that are looked at for an operator of several, who opens one of them for the others. */
const maxCommunities = 10;

/** The accounts that vote like a clock. Nothing is done about them. */
export function robotCard(
  guards: Pick<GuardStore, 'votesOfFrequent'>,
  communitiesNow: () => readonly Pick<Community, 'id'>[],
  clock: Pick<Clock, 'monotonic'>,
): ConsoleCard {
  const known = new BoundedMap<{ readonly at: number; readonly found: Promise<Found> }>(100);

  function look(id: CommunityId): Promise<Found> {
    const key = String(id);
    const now = clock.monotonic();
    const recent = known.get(key);
    if (recent !== undefined && now - recent.at < shownForMs) return recent.found;
    const found = guards.votesOfFrequent(id, minVotes).then(({ votes, isComplete }) => {
      return { robots: findRobots({ votes }), isComplete };
    });
    found.catch(() => known.delete(key));
    known.set(key, { at: now, found });
    return found;
  }

  return {
    id: 'robots',
    title: ({ text }) => text('console.robots.title'),
    isScoped: true,
    async render({ scope, texts, memberLinks, text: foreign }) {
      const ids = scope === null ? new Set(communitiesNow().map(({ id }) => id)) : [scope.communityId];
      const found: Found[] = [];
      for (const id of [...ids].slice(0, maxCommunities)) found.push(await look(id));
      const robots = found.flatMap((each) => each.robots);
      if (robots.length === 0) return null;
      const memberLink = await memberLinks(robots.map(({ userId }) => userId));
      const { text } = texts;
      return html`<p class="quiet">${text('console.robots.about', { votes: minVotes })}</p>
<table><thead><tr><th scope="col">${text('console.labels.member')}</th><th scope="col">${text('setup.sections.listing')}</th><th scope="col">${text('console.robots.interval')}</th></tr></thead>
<tbody>${robots.map(
        ({ userId, listing, shortest, longest }) =>
          html`<tr><td data-name="${text('console.labels.member')}" class="unbroken">${memberLink(userId)}</td><td data-name="${text('setup.sections.listing')}">${foreign(listing)}</td>
<td data-name="${text('console.robots.interval')}" class="unbroken">${clockTime(shortest)} – ${clockTime(longest)}</td></tr>`,
      )}</tbody></table>
${found.some(({ isComplete }) => !isComplete) && html`<p class="quiet">${text('console.robots.incomplete')}</p>`}`;
    },
  };
}

interface Found {
  readonly robots: readonly Robot[];
  readonly isComplete: boolean;
}

/** An interval (ms) as hours, minutes and seconds: 12:00:03. */
function clockTime(ms: number): string {
  const twoDigits = (count: number) => String(Math.floor(count)).padStart(2, '0');
  return [Math.floor(ms / hour), twoDigits((ms % hour) / minute), twoDigits((ms % minute) / second)].join(':');
}
