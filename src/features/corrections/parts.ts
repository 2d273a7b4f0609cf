import { noCommunity } from '../../core/ledger/account.ts';
import type { Recordings } from '../../core/tally/recorder.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { createAwards } from './awards.ts';

export function createServices({
  store: { recorder },
  clock,
  log,
}: ServicesContext & { readonly store: { readonly recorder: Pick<Recordings, 'correct'> } }) {
  return {
    commandsIn({ communities: [community], isManaged }) {
      const communityId = community?.id ?? noCommunity;
      return { awards: isManaged ? createAwards({ recorder, communityId, clock, log }) : null };
    },
  } satisfies FeatureServices;
}
