import type { Log } from '../../platform/log.ts';
import type { Admission } from '../abuse/admission.ts';
import type { VoteChallenge } from '../abuse/vote-challenge.ts';
import type { DiscordSignIn } from '../discord-sign-in/discord-sign-in.ts';
import type { DeliveryContext } from '../webhooks/attempt.ts';
import type { MemberSessions } from './session.ts';

/** The dependencies of the pages. */
export interface PageDependencies {
  readonly sending: DeliveryContext;
  readonly sessions: MemberSessions;
  readonly log: Log;
  /** Every visitor may act as any member, for the sandbox only. Otherwise members sign in with a link. */
  readonly actAsMembers: boolean;
  /** New bots are invisible until an operator publishes them. */
  readonly approvesBots: boolean;
  /** The bans and limits of voting, reviewing, reporting, signing in and creating listings. */
  readonly admission: Admission;
  /** Null for votes without a challenge. */
  readonly challenge: VoteChallenge | null;
  /** Null without an application at Discord. */
  readonly discord: DiscordSignIn | null;
  /** Wakes the webhook dispatcher, since a delivery was queued. */
  readonly queued: () => void;
}
