import type { Family, VoteKind } from './event.ts';
import { familyIn, kindIn, type ParsedPayload, readPayload } from './payload.ts';
import type { PayloadRejection } from './rejections.ts';

/** What a secret authorizes, as far as the meaning of a payload depends on it. */
export interface PayloadScope {
  readonly family: Family;
  readonly listing: { readonly name: string; readonly kind: 'server' | 'bot'; readonly implied: boolean };
}

/** The content of a delivery whose sender is known, and those of the sender's scopes that cover it. Never empty. */
export interface AuthorizedPayload<Scope> {
  readonly payload: ParsedPayload;
  readonly scopes: readonly [Scope, ...Scope[]];
}

/** Parses the body of a delivery whose sender is known, unless the sender may not send it. */
export function readAuthorized<Scope extends PayloadScope>(
  { text, json }: { readonly text: string; readonly json: unknown },
  sender: {
    readonly scopes: readonly Scope[];
    /** By a secret, not by the header `Authorization`. */
    readonly signed: boolean;
    /** The family of the path; null for a path that accepts both. */
    readonly pathFamily: Family | null;
  },
  /** Ms since the epoch. */
  now: number,
): AuthorizedPayload<Scope> | PayloadRejection {
  const { signed, pathFamily } = sender;
  const pathScopes = sender.scopes.filter(({ family }) => pathFamily === null || family === pathFamily);
  if (pathScopes.length === 0) return 'webhook_wrong_family';
  if (json === undefined) return text === '' ? 'webhook_body_empty' : 'webhook_body_not_json';

  const premiumPath = pathScopes.every(({ family }) => family === 'premium');
  const payload = readPayload(json, { premiumPath, now, defaultVote: inferVoteKind(pathScopes, { signed }) });
  const payloadFamily = familyIn(payload);
  const [scope, ...others] = pathScopes.filter(({ family }) => payloadFamily === null || family === payloadFamily);
  if (scope === undefined) return 'webhook_wrong_family';
  if (!signed && kindIn(payload) === 'bot_vote') return 'webhook_vote_unsigned';
  return { payload, scopes: [scope, ...others] };
}

/**
 * The kind of a vote that names only its voter, which is all that the document guarantees (section 6): the kind of the
 * only listing that the scopes allow. Null if there are several, if the secret also signs premium events, or for an
 * unsigned vote for a bot.
 */
export function inferVoteKind(scopes: readonly PayloadScope[], sender: { readonly signed: boolean }): VoteKind | null {
  if (scopes.some(({ family }) => family !== 'vote')) return null;
  const listings = scopes.map(({ listing }) => listing).filter(({ implied }) => !implied);
  const [first, ...others] = listings;
  if (first === undefined || others.some(({ name }) => name !== first.name)) return null;
  if (first.kind === 'server') return 'server_vote';
  return sender.signed ? 'bot_vote' : null;
}
