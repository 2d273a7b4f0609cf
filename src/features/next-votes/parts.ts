import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { StatedNextVote } from './next-vote.ts';
import type { NextVoteStore } from './store.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    /** What other sites have said of the next votes of a member. */
    readonly nextVotesOf: (userId: string) => Promise<readonly StatedNextVote[]>;
  }
}

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
