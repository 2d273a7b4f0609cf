import { EventEmitter } from 'node:events';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import { hour, second } from '../platform/durations.ts';
import type { Listing } from '../service/listing/listing.ts';
import type { RunningService } from '../service/service.ts';
import type { DeliveryResponse, FaultInjection } from './fault-injection.ts';
import type { Outage } from './outage.ts';
import type { PagePorts, TimelineItem, FaultAction as TroubleKind } from './page/ports.ts';
import type { SandboxClock } from './sandbox-clock.ts';

const outageMs = 10 * second;
const clockStepMs = 12 * hour;

/** What the page can do as soon as the rest of the sandbox is there. */
export interface BotConnection {
  readonly ledger: LedgerReads;
  readonly faultInjection: FaultInjection;
}

/** What the page may do and sees of the service and the bot, joined here because none knows of the others' insides. */
export interface PageBridge {
  readonly ports: PagePorts;
  readonly emit: (item: TimelineItem) => void;
  /** Something went down or came back. */
  simulationChanged(): void;
  /** From now on balances are known and trouble can be made. */
  connect(connected: BotConnection): void;
}

export function createPageBridge(options: {
  service: RunningService;
  listings: readonly Listing[];
  /** Who may act, by id. */
  nameOf: (userId: string) => string;
  clock: SandboxClock;
  outages: { readonly discord: Outage; readonly service: Outage };
}): PageBridge {
  const { service, listings, nameOf, clock, outages } = options;
  const news: PagePorts['events'] = new EventEmitter();
  let connected: BotConnection | null = null;

  clock.events.on('moved', () => news.emit('conditions'));

  function faultInjection(): FaultInjection {
    if (connected === null) throw new Error('The bot does not run yet.');
    return connected.faultInjection;
  }

  /** What a press of each button does; the words say it to whoever pressed. */
  const handlers: Readonly<Record<TroubleKind, (userId: string) => Promise<string> | string>> = {
    async repeat() {
      const result = await faultInjection().resendLast();
      if (result === null) return 'Nothing was delivered yet. Cast a vote first.';
      return `The last delivery was sent again, byte for byte. ${describeResponse(result)}`;
    },
    break_signature: async (userId) =>
      `A vote with a broken signature was sent. ${describeResponse(await faultInjection().sendInvalidSignature(userId))}`,
    unknown_event: async (userId) =>
      `A signed event that nobody knows was sent. ${describeResponse(await faultInjection().sendUnknownEvent(userId))}`,
    discord_down() {
      outages.discord.begin(outageMs);
      return `Discord is down for ${outageMs / second} seconds. Votes are still received; what is to be announced waits.`;
    },
    service_down() {
      outages.service.begin(outageMs);
      return `The service is down for ${outageMs / second} seconds. Commands answer from what is known.`;
    },
    move_clock() {
      clock.advance(clockStepMs);
      emitLine(news, clock, `The clock was moved on by ${clockStepMs / hour} hours`);
      return `It is ${clockStepMs / hour} hours later now.`;
    },
  };

  return {
    ports: {
      listings: listings.map(({ kind, name }) => ({ kind, name })),
      serviceUrl: service.url,
      events: news,
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
      injectFault: async (what, userId) => handlers[what](userId),
    },
    emit: (item) => void news.emit('timeline', item),
    simulationChanged: () => void news.emit('conditions'),
    connect(parts) {
      connected = parts;
    },
  };
}

function emitLine(news: PagePorts['events'], clock: Clock, text: string): void {
  news.emit('timeline', { kind: 'line', at: clock.now(), source: 'sandbox', tone: 'plain', text });
}

function describeResponse({ status, body }: DeliveryResponse): string {
  const { outcome, error } = body as { outcome?: unknown; error?: unknown };
  return `The bot answered ${status}: ${String(outcome ?? error)}`;
}
