import type { StateChange } from '../discord/discord-state.ts';
import type { Balances } from './balances.ts';
import type { fullState, sidebarState, simulationState } from './snapshot.ts';
import type { KeyedItem } from './timeline.ts';

export type FullState = ReturnType<typeof fullState>;
export type SidebarState = ReturnType<typeof sidebarState>;
export type SimulationState = ReturnType<typeof simulationState>;

/** A change of Discord that the page is told as it is. */
export type PageChange = Extract<StateChange, { kind: 'message' | 'message_deleted' | 'interaction' | 'modal' }>;

/** All that goes over the page's stream, as JSON: everything once, and then what changes. */
export type PageEvent =
  | FullState
  | (SidebarState & { readonly kind: 'places' })
  | (SimulationState & { readonly kind: 'conditions' })
  | { readonly kind: 'credits'; readonly credits: Balances }
  | { readonly kind: 'timeline'; readonly item: KeyedItem }
  | PageChange;
