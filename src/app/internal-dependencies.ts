import type { RequestListener } from 'node:http';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import type { AppDependencies } from '../../config/app-options.ts';
import type { ClaimedEffect } from '../core/outbox/effect-kind.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import type { Store } from '../features/store.ts';
import type { SignInLinks } from '../owner/authentication.ts';

/** Dependencies that programs within the package add. */
export interface InternalDependencies extends AppDependencies {
  /** Called for every attempt on effects, before its result is stored. */
  readonly onAttempted?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
  /** Wraps the listener of all routes, to observe requests before they are handled. */
  readonly wrapListener?: (listener: RequestListener) => RequestListener;
  /** Real time for the connection to Discord; needed if `clock` does not run in real time. */
  readonly stopwatch?: Clock;
  /** Links that sign in to the owner's console. */
  readonly signInLinks?: SignInLinks;
  /** Called once with the open database, before anything else reads or writes it. */
  readonly prepareStore?: (store: Store, communityIds: CommunityIds) => Promise<void>;
  /** Called when everything is closed. */
  readonly onStopped?: () => void;
}
