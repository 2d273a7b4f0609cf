import type { StateChange } from '../discord/events.ts';
import type { Balances } from './balances.ts';
import type { fullState, sidebarState, simulationState } from './snapshot.ts';
import type { KeyedItem } from './timeline.ts';

export type FullState = ReturnType<typeof fullState>;
export type SidebarState = ReturnType<typeof sidebarState>;
export type SimulationState = ReturnType<typeof simulationState>;

/** A change of the Discord state that is sent to the page unchanged. */
export type PageChange = Extract<StateChange, { kind: 'message' | 'message_deleted' | 'interaction' | 'modal' }>;

/** An event of the page's stream, as JSON: the full state first, then changes. */
export type PageEvent =
  | FullState
  | (SidebarState & { readonly kind: 'sidebar' })
  | (SimulationState & { readonly kind: 'simulation' })
  | { readonly kind: 'credits'; readonly credits: Balances }
  | { readonly kind: 'timeline'; readonly item: KeyedItem }
  /** Only the current time. */
  | { readonly kind: 'time' }
  | PageChange;

/** An event as it is sent, with the time of the sandbox: a page's own clock can stand still while the machine sleeps. */
export type TimedPageEvent = PageEvent & {
  /** ms since the epoch */
  readonly now: number;
};
