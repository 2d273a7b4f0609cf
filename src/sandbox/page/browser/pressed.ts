import type { State } from './store.ts';

/** Uses a button or a select, by its custom id. */
export type UseComponent = (customId: string, values?: readonly string[]) => void;

/** What the controls of a message need to know. */
export interface ComponentContext {
  readonly state: State;
  /** An earlier use is still on its way. */
  readonly isBusy: boolean;
  readonly useComponent: UseComponent;
}
