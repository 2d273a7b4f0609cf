import type { Clock } from '@tallyhook/platform/clock';
import type { ResolvableListing } from '../../src/core/receiving/listing.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { createGuardServices } from '../../src/features/guards/membership.ts';
import type { Store } from '../../src/features/store.ts';

/** What claims ask of the guards of these listings, with a Discord that cannot be reached. */
export function guardsOver(store: Store, listings: readonly ResolvableListing[], clock: Clock) {
  const rest = createDiscordRest({ token: 'token', apiUrl: 'http://127.0.0.1:1' });
  const replay = createReplay({ listings: () => listings, recorder: store.recorder, clock });
  return createGuardServices({ store, rest, replay });
}
