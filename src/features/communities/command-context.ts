import type { Config } from '../../../config/schema.ts';
import type { DescriptionContext } from '../../discord/commands/command.ts';
import { createLookup } from '../../lookup/client.ts';
import { systemClock } from '../../platform/clock.ts';

/**
 * The part of the command context that determines which commands are registered: the listings with an API key. It sends
 * no request.
 * @throws TallyhookError `lookup_key_malformed`
 */
export function commandContextFor({ lookup, listings }: Config): Omit<DescriptionContext, 'texts'> {
  const listingsWithKey = listings.flatMap(({ name, kind, lookupKey: key }) =>
    key === null ? [] : [{ name, lookup: createLookup({ kind, baseUrl: lookup.baseUrl, key, clock: systemClock }) }],
  );
  return { listings: listingsWithKey, isShared: listings.some(({ linked }) => linked) };
}
