import type { Meaning } from '../tally/meaning.ts';
import { addressee } from './addressee.ts';
import type { Grant } from './keyring.ts';
import { kindIn, type Reading } from './payload.ts';

/** What was read, addressed to the listing that is meant. Shared with the replay of a quarantined delivery. */
export function meaningOf(reading: Reading, grants: readonly Grant[]): Meaning {
  if (reading.is === 'unknown') return unclear(reading, reading.reason, grants);
  const { target } = reading.is === 'event' ? reading.event : reading;
  const listing = addressee(
    grants.map((grant) => grant.listing),
    target,
  );
  if (listing === null) return unclear(reading, 'no configured listing is meant by it', grants);
  if (reading.is === 'event') return { is: 'event', event: reading.event, listing };
  const { kind, userId } = reading;
  return { is: 'test', test: { kind, userId }, listing };
}

function unclear(reading: Reading, reason: string, grants: readonly Grant[]): Meaning {
  const names = new Set(grants.map(({ listing }) => listing.name));
  const [name] = names;
  return { is: 'unclear', kind: kindIn(reading), reason, listing: names.size === 1 ? (name ?? null) : null };
}
