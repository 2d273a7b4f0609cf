import { EventEmitter } from 'node:events';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import { hour, second } from '../platform/durations.ts';
import type { Listing } from '../service/listing/listing.ts';
import type { RunningService } from '../service/service.ts';
import type { FaultInjection, InjectionResult } from './fault-injection.ts';
import type { PagePorts, TimelineItem, FaultKind as TroubleKind } from './page/ports.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import type { ServiceOutage } from './service-outage.ts';

const outageLasts = 10 * second;
const leap = 12 * hour;

/** What the page can do as soon as the rest of the sandbox is there. */
export interface Connected {
  readonly ledger: LedgerReads;
  readonly trouble: FaultInjection;
}

/** What the page may do and sees of the service and the bot, joined here because none knows of the others' insides. */
export interface PageBridge {
  readonly ports: PagePorts;
  readonly tell: (item: TimelineItem) => void;
  /** Something went down or came back. */
  conditionsChanged(): void;
  /** From now on balances are known and trouble can be made. */
  connect(connected: Connected): void;
}

export function createPageBridge(options: {
  service: RunningService;
  listings: readonly Listing[];
  /** Who may act, by id. */
  nameOf: (userId: string) => string;
  clock: SandboxClock;
  outages: { readonly discord: ServiceOutage; readonly service: ServiceOutage };
}): PageBridge {
  const { service, listings, nameOf, clock, outages } = options;
  const news: PagePorts['news'] = new EventEmitter();
  let connected: Connected | null = null;

  clock.events.on('moved', () => news.emit('conditions'));

  function trouble(): FaultInjection {
    if (connected === null) throw new Error('The bot does not run yet.');
    return connected.trouble;
  }

  /** What a press of each button does; the words say it to whoever pressed. */
  const makes: Readonly<Record<TroubleKind, (userId: string) => Promise<string> | string>> = {
    async repeat() {
      const answered = await trouble().repeat();
      if (answered === null) return 'Nothing was delivered yet. Cast a vote first.';
      return `The last delivery was sent again, byte for byte. ${said(answered)}`;
    },
    break_signature: async (userId) =>
      `A vote with a broken signature was sent. ${said(await trouble().breakSignature(userId))}`,
    unknown_event: async (userId) =>
      `A signed event that nobody knows was sent. ${said(await trouble().unknownEvent(userId))}`,
    discord_down() {
      outages.discord.begin(outageLasts);
      return `Discord is down for ${outageLasts / second} seconds. Votes are still received; what is to be announced waits.`;
    },
    service_down() {
      outages.service.begin(outageLasts);
      return `The service is down for ${outageLasts / second} seconds. Commands answer from what is known.`;
    },
    move_clock() {
      clock.advance(leap);
      tellLine(news, clock, `The clock was moved on by ${leap / hour} hours`);
      return `It is ${leap / hour} hours later now.`;
    },
  };

  return {
    ports: {
      listings: listings.map(({ kind, name }) => ({ kind, name })),
      serviceUrl: service.url,
      news,
      time: clock,
      outages: {
        get discord() {
          return outages.discord.isDown;
        },
        get service() {
          return outages.service.isDown;
        },
      },
      async castVote({ userId, kind }) {
        if (outages.service.isDown) return { outcome: 'refused', reason: 'The service is down: nobody can vote.' };
        const { recorded, nextVoteAt } = await service.castVote({ kind, userId, username: nameOf(userId) });
        return { outcome: recorded ? 'recorded' : 'too_soon', nextVoteAt };
      },
      credits: async (userId) => (connected === null ? null : (await connected.ledger.account(userId)).credits),
      trouble: async (what, userId) => makes[what](userId),
    },
    tell: (item) => void news.emit('timeline', item),
    conditionsChanged: () => void news.emit('conditions'),
    connect(parts) {
      connected = parts;
    },
  };
}

function tellLine(news: PagePorts['news'], clock: Clock, text: string): void {
  news.emit('timeline', { kind: 'line', at: clock.now(), where: 'sandbox', tone: 'plain', text });
}

function said({ status, body }: InjectionResult): string {
  const { outcome, error } = body as { outcome?: unknown; error?: unknown };
  return `The bot answered ${status}: ${String(outcome ?? error)}`;
}
