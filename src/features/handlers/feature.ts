import type { Feature } from '../../core/feature.ts';
import { handlerKind } from './handlers.ts';
import * as sql from './store.ts';
import { callAfterPremium, callAfterVote } from './store.ts';

export const handlers = {
  sql,
  tables: { handler_subscriptions: { withoutMembers: 'Kinds of handlers.' } },
  effects: [handlerKind],
  afterVote: { of: { listing: 'handled' }, call: callAfterVote },
  afterPremium: { of: { listing: 'handled' }, call: callAfterPremium },
} satisfies Feature;

export { handlerCall, handlerListing } from './store.ts';
