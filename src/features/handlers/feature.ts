import type { Feature } from '../../core/feature.ts';
import { effects } from './effects.ts';
import { callAfterPremium, callAfterVote } from './on-event.ts';
import * as sql from './store.ts';

export const handlers = {
  sql,
  tables: { handler_subscriptions: { withoutMembers: 'Kinds of handlers.' } },
  effects,
  afterVote: { of: { listing: 'handled' }, call: callAfterVote },
  afterPremium: { of: { listing: 'handled' }, call: callAfterPremium },
} satisfies Feature;

export { handlerListing } from './on-event.ts';
