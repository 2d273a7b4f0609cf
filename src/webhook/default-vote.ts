import type { VoteKind } from '../ledger/event.ts';
import type { SecretScope } from './keyring.ts';

/**
 * The kind of a vote that tells no more than who voted, which is all that the document promises of one (section 6): that of the only
 * listing it can be for. Null where there are several, where it need not be a vote at all, and for an unsigned vote for a bot.
 */
export function defaultVoteOf(scopes: readonly SecretScope[], sender: { readonly signed: boolean }): VoteKind | null {
  if (scopes.some(({ family }) => family !== 'vote')) return null;
  const listings = scopes.map(({ listing }) => listing).filter(({ implied }) => !implied);
  const [first, ...others] = listings;
  if (first === undefined || others.some(({ name }) => name !== first.name)) return null;
  if (first.kind === 'server') return 'server_vote';
  return sender.signed ? 'bot_vote' : null;
}
