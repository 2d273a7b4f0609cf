import { EventEmitter } from 'node:events';
import type { Clock } from '../clock.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Listing } from '../service/listing/listing.ts';
import type { RunningService } from '../service/service.ts';
import type { Recorded } from '../tally/record-event.ts';
import type { PagePorts, TimelineLine } from './page/ports.ts';

/** What the page may do and sees of the service and the bot, joined here because neither knows of the other's insides. */
export interface Happenings {
  readonly ports: PagePorts;
  /** The bot has stored a delivery. */
  recorded(recorded: Recorded): void;
  /** From now on balances are known. */
  connect(ledger: LedgerReads): void;
}

export function createHappenings(options: {
  service: RunningService;
  listings: readonly Listing[];
  /** Who may act, by id. */
  nameOf: (userId: string) => string;
  clock: Clock;
}): Happenings {
  const { service, listings, nameOf, clock } = options;
  const timeline = new EventEmitter<{ line: [TimelineLine] }>();
  let ledger: LedgerReads | null = null;

  function tell(where: TimelineLine['where'], tone: TimelineLine['tone'], text: string): void {
    timeline.emit('line', { at: clock.now(), where, tone, text });
  }

  return {
    ports: {
      listings: listings.map(({ kind, name }) => ({ kind, name })),
      serviceUrl: service.url,
      timeline,
      async castVote({ userId, kind }) {
        const { recorded, nextVoteAt } = await service.castVote({ kind, userId, username: nameOf(userId) });
        if (recorded)
          tell('service', 'good', `${nameOf(userId)} voted for the ${kind}; a signed webhook is on its way`);
        return { outcome: recorded ? 'recorded' : 'too_soon', nextVoteAt };
      },
      credits: async (userId) => (ledger === null ? null : (await ledger.account(userId)).credits),
    },
    connect(connected) {
      ledger = connected;
    },
    recorded({ deliveryId, outcome, credits, reason }) {
      const paid = outcome === 'recorded' ? `, ${credits} credits${reason === null ? '' : ` (${reason})`}` : '';
      tell(
        'bot',
        outcome === 'quarantined' ? 'bad' : 'good',
        `Delivery ${deliveryId}: signature verified, ${outcome}${paid}, committed`,
      );
    },
  };
}
