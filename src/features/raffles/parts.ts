import { escapeInline } from '@tallyhook/platform/texts/markup';
import { html } from '@tallyhook/platform/web/html';
import { handle } from '../../core/outbox/perform.ts';
import { formatPeriod, periodOf, timesOf } from '../../core/rewards/calendar.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Community } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type { ConsoleCard, FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { createDrawHandler, createOpeningTask, type DrawingContext, daysOf } from './drawing.ts';
import { raffleDrawKind, raffleDrawnKind, raffleOpenedKind } from './effects.ts';
import { createDrawnHandler, createOpenedHandler, type MessageContext, prizeText } from './messages.ts';
import { createRafflePage, raffleAddress } from './page.ts';
import { ticketsIn } from './published.ts';
import { pseudonymIn, type RaffleRules, raffleOf, ticketsFor } from './rules.ts';
import type { RaffleStore } from './store.ts';

export { rafflePreview } from './messages.ts';

/** The raffle of a member's community. Times are ms since the epoch. */
export interface RaffleStatus {
  /** Null if there are none at the moment. */
  readonly current: {
    readonly rules: Omit<RaffleRules, 'per'>;
    readonly endsAt: number;
    /** The tickets of the member. */
    readonly tickets: number;
    /** The pseudonym of the member in the list; null if it has not begun yet. */
    readonly name: string | null;
  } | null;
  /** The newest that was drawn; null before the first. */
  readonly last: {
    /** Day numbers. */
    readonly days: readonly [first: number, last: number];
    /** Ids of members. */
    readonly winners: readonly string[];
    readonly tickets: number;
    readonly name: string | null;
    /** Where it can be checked; null without `PUBLIC_URL`. */
    readonly address: string | null;
  } | null;
}

/** Finds the raffle of a community. Rejects with the error of the store. */
export interface Raffles {
  statusOf(userId: string): Promise<RaffleStatus>;
}

type RaffleContext = Pick<ServicesContext, 'directory'> & StatusContext;

interface StatusContext extends Pick<ServicesContext, 'clock'> {
  readonly config: { readonly publicUrl: string | null };
  readonly store: { readonly raffles: RaffleStore };
}

/** The raffles of a community. */
export function createRaffles({ id: communityId, timeZone, listings }: Community, context: StatusContext): Raffles {
  const { store, clock, config } = context;
  const address = raffleAddress(config);

  async function currentOf(userId: string): Promise<RaffleStatus['current']> {
    const rules = raffleOf(listings);
    if (rules === null) return null;
    const { per } = rules;
    const calendar = calendarOf({ timeZone });
    const days = periodOf(per, calendar.dayAt(clock.now()));
    const { firstDay } = days;
    const [raffle, votes] = await Promise.all([
      store.raffles.ofPeriod(communityId, formatPeriod(per, firstDay)),
      store.raffles.votesOf({ communityId, userId, per, firstDay }, hiddenRolesOf(listings)),
    ]);
    return {
      rules: raffle?.rules ?? rules,
      endsAt: raffle?.endsAt ?? timesOf(days, calendar).endsAt,
      tickets: ticketsFor(votes, raffle?.rules ?? rules),
      name: nameIn(raffle, userId),
    };
  }

  async function lastOf(userId: string): Promise<RaffleStatus['last']> {
    const raffle = await store.raffles.lastDrawn(communityId);
    if (raffle === null) return null;
    const name = nameIn(raffle, userId);
    const { file } = (await store.raffles.published(raffle.raffleId)) ?? {};
    const tickets = name === null ? 0 : ticketsIn(file ?? '', name);
    return { days: daysOf(raffle), winners: raffle.winners, tickets, name, address: address(raffle) };
  }

  return {
    async statusOf(userId) {
      const [current, last] = await Promise.all([currentOf(userId), lastOf(userId)]);
      return { current, last };
    },
  };
}

function nameIn(raffle: { readonly memberKey: string | null } | null, userId: string): string | null {
  return raffle === null || raffle.memberKey === null ? null : pseudonymIn(raffle.memberKey, userId);
}

export function createServices(context: RaffleContext) {
  return {
    routes: createRafflePage(context),
    cards: [raffleCard(context)],
    commandsIn: ({ communities: [community] }) => ({
      raffles: community === undefined ? null : createRaffles(community, context),
    }),
  } satisfies FeatureServices;
}

export function create(context: PartsContext & DrawingContext & MessageContext) {
  return {
    effects: [
      handle(raffleDrawKind, createDrawHandler(context)),
      handle(raffleOpenedKind, createOpenedHandler(context)),
      handle(raffleDrawnKind, createDrawnHandler(context)),
    ],
    tasks: (community) =>
      raffleOf(community.listings) === null ? [] : [{ name: 'raffle', run: createOpeningTask(community, context) }],
  } satisfies FeatureParts;
}

/** The console's card of the current raffle and the last draw. */
function raffleCard({ store, directory, clock, config }: RaffleContext): ConsoleCard {
  const address = raffleAddress(config);
  return {
    id: 'raffle',
    title: ({ text }) => text('raffle.title'),
    isScoped: true,
    async render({ scope, texts, markup }) {
      const community =
        scope === null
          ? directory.communities.find(({ listings }) => raffleOf(listings) !== null)
          : directory.ofGuild(scope.guildId);
      const rules = raffleOf(community?.listings ?? []);
      if (community === undefined || rules === null) return null;
      const { firstDay, endDay } = periodOf(rules.per, calendarOf(community).dayAt(clock.now()));
      const current = html`<p>${texts.days(firstDay, endDay - 1)}: ${markup(prizeText(rules, texts))}</p>`;
      const last = await store.raffles.lastDrawn(community.id);
      if (last === null) return current;
      const url = address(last);
      const days = markup(texts.text('raffle.latest', { days: escapeInline(texts.days(...daysOf(last))) }));
      const check = url === null ? '' : html` <a href="${url}">${texts.text('raffle.fileButton')}</a>`;
      return html`${current}\n<p class="quiet">${days}${check}</p>`;
    },
  };
}
