import { hour, second } from '@tallyhook/platform/durations';
import type { Listing, RunningService } from 'listing-service';
import { z } from 'zod';
import type { Ledger } from '../core/ledger/program-ledger.ts';
import { memberName } from './community.ts';
import type { DeliveryResponse, FaultInjection, OutageSwitch } from './fault-injection.ts';
import type { FaultAction, PagePorts } from './page/ports.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import type { ImitatedSite, ListingSites } from './sites.ts';

const notLinked = 'The service sends no votes to the bot yet. Link a listing with /setup first.';
const outageMs = 10 * second;
const clockStepMs = 12 * hour;

/** The parts that exist only after the page was created. */
interface BotConnection {
  readonly ledger: Pick<Ledger, 'account'>;
  readonly faultInjection: FaultInjection;
  readonly consoleLink: () => string;
  readonly runDoctor: PagePorts['runDoctor'];
  readonly outages: { readonly discord: OutageSwitch; readonly service: OutageSwitch };
}

/** Implements the page's ports on top of the service, the bot and the clock. */
export function createPageBridge(
  options: {
    events: PagePorts['events'];
    service: RunningService;
    listings: readonly Listing[];
    /** Other listing sites; null without them. */
    sites: ListingSites | null;
    clock: SandboxClock;
  } & Pick<PagePorts, 'isLinked' | 'tours' | 'commandLine'>,
) {
  const { events, service, listings, sites, clock, isLinked, tours, commandLine } = options;
  let connection: BotConnection | null = null;

  clock.events.on('moved', () => events.emit('simulation'));

  function requireConnection(): BotConnection {
    if (connection === null) throw new Error('The bot is not running yet.');
    return connection;
  }

  /** Injects the fault; returns what was done, as text for the page. */
  const handlers: Readonly<Record<FaultAction, (userId: string) => Promise<string> | string>> = {
    async repeat() {
      const response = await requireConnection().faultInjection.resendLast();
      if (response === null) return 'No deliveries yet. Cast a vote first.';
      return `The last delivery was sent again, byte for byte. ${describeResponse(response)}`;
    },
    async break_signature(userId) {
      const response = await requireConnection().faultInjection.sendInvalidSignature(userId);
      if (response === null) return notLinked;
      return `A vote with an invalid signature was sent. ${describeResponse(response)}`;
    },
    async unknown_event(userId) {
      const response = await requireConnection().faultInjection.sendUnknownEvent(userId);
      if (response === null) return notLinked;
      return `A signed event of an unknown type was sent. ${describeResponse(response)}`;
    },
    discord_down() {
      requireConnection().outages.discord.begin(outageMs);
      return `Discord is down for ${outageMs / second} seconds. Votes are still recorded; announcements wait.`;
    },
    service_down() {
      requireConnection().outages.service.begin(outageMs);
      return `The service is down for ${outageMs / second} seconds. Commands reply with cached data.`;
    },
    move_clock() {
      clock.advance(clockStepMs);
      const text = `The clock was advanced by ${clockStepMs / hour} hours`;
      events.emit('timeline', { kind: 'line', at: clock.now(), source: 'sandbox', tone: 'plain', text });
      return `${text}.`;
    },
  };

  function votableListing(imitated: ImitatedSite): PagePorts['listings'][number] {
    const { site, listing, page } = imitated;
    const localPage = sites?.pageOf(imitated) ?? page;
    return { kind: listing.kind, name: listing.name, site: { id: site.id, name: site.name, page, localPage } };
  }

  const ports: PagePorts = {
    listings: [...listings.map(({ kind, name }) => ({ kind, name })), ...(sites?.all ?? []).map(votableListing)],
    serviceUrl: service.url,
    consoleLink: () => connection?.consoleLink() ?? null,
    isLinked,
    tours,
    commandLine,
    events,
    get outages() {
      const { discord, service: ofService } = connection?.outages ?? {};
      return { discord: discord?.isDown ?? false, service: ofService?.isDown ?? false };
    },
    async castVote({ userId, kind, site }) {
      if (site !== undefined) {
        const imitated = sites?.all.find((each) => each.site.id === site);
        return imitated?.castVote(userId) ?? { outcome: 'refused', reason: 'There is no such site.' };
      }
      if (connection?.outages.service.isDown) {
        return { outcome: 'refused', reason: 'The service is down, so votes are not possible.' };
      }
      const vote = { kind, userId, username: memberName(userId) };
      const { recorded, nextVoteAt, deliveryId } = await service.castVote(vote);
      if (!recorded) return { outcome: 'too_soon', nextVoteAt };
      return { outcome: 'recorded', nextVoteAt, isDelivered: deliveryId !== null };
    },
    credits: async (userId) => (connection === null ? null : ((await connection.ledger.account(userId))?.credits ?? 0)),
    async runDoctor() {
      const results = await requireConnection().runDoctor();
      events.emit('tour', 'doctor');
      return results;
    },
    injectFault: async (fault, userId) => handlers[fault](userId),
  };
  return {
    ports,
    /** Enables balances and fault injection. */
    connect(parts: BotConnection) {
      connection = parts;
    },
  };
}

const responseSchema = z.object({ outcome: z.string().optional(), error: z.string().optional() }).catch({});

function describeResponse({ status, body }: DeliveryResponse): string {
  const { outcome, error } = responseSchema.parse(body);
  return `The bot answered ${status}: ${outcome ?? error ?? 'no details'}`;
}
