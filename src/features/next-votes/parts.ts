import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { NextVoteStore } from './store.ts';

export function createServices({
  store: { nextVotes },
}: ServicesContext & { readonly store: { readonly nextVotes: NextVoteStore } }) {
  return {
    commandsIn({ communities }) {
      const hasSites = communities.some(({ listings }) => listings.some(({ site }) => site !== undefined));
      return { nextVotesOf: hasSites ? nextVotes.ofMember : async () => [] };
    },
  } satisfies FeatureServices;
}
