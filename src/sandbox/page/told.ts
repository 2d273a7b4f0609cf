import type { Change } from '../discord/world.ts';
import type { Balances } from './credits.ts';
import type { conditions, everything, places } from './snapshot.ts';
import type { PlacedItem } from './timeline.ts';

export type Everything = ReturnType<typeof everything>;
export type Places = ReturnType<typeof places>;
export type Conditions = ReturnType<typeof conditions>;

/** A change of Discord that the page is told as it is. */
export type ToldChange = Extract<Change, { kind: 'message' | 'message_deleted' | 'interaction' | 'modal' }>;

/** All that goes over the page's stream, as JSON: everything once, and then what changes. */
export type News =
  | Everything
  | (Places & { readonly kind: 'places' })
  | (Conditions & { readonly kind: 'conditions' })
  | { readonly kind: 'credits'; readonly credits: Balances }
  | { readonly kind: 'timeline'; readonly item: PlacedItem }
  | ToldChange;
