import type { ActivityLine } from 'local-discord/page';
import { actionSender, type PageStore } from 'local-discord/page/browser';
import type { KeyedItem, TourName } from '../ports.ts';
import type { SandboxActions } from '../sandbox-actions.ts';
import type { SandboxEvent, SandboxState } from '../sandbox-page.ts';

/** An entry of the timeline: also what happened on Discord. */
export type Item = KeyedItem | (ActivityLine & { readonly kind: 'activity' });

/** What the page of the sandbox knows besides Discord. */
export type State = Omit<SandboxState, 'tours' | 'timeline'> & {
  /** Oldest first, by key; a new item with the same key replaces the old one. */
  readonly timeline: Map<string, Item>;
  /** The tour that is shown. */
  tour: TourName;
  /** The steps of tours that were done. */
  readonly tried: Set<string>;
};

type Change =
  | { readonly kind: 'timeline'; readonly item: Item }
  | { readonly kind: 'tried'; readonly step: string }
  | { readonly kind: 'simulation' | 'credits' | 'tour' };
type ChangeOf<Kind extends Change['kind']> = Extract<Change, { readonly kind: Kind }>;

export type SandboxStore = ReturnType<typeof createSandboxStore>;

export const postAction = actionSender<SandboxActions>();

/** Applies the sandbox's events to its state, and notifies its views of each change. */
export function createSandboxStore(page: PageStore) {
  const state: State = {
    isLinked: true,
    tour: 'vote',
    program: null,
    listings: [],
    serviceUrl: null,
    outages: { discord: false, service: false },
    credits: {},
    timeline: new Map(),
    tried: new Set(),
  };
  const listeners = new Set<(change: Change) => void>();
  const notify = (change: Change) => {
    for (const listener of listeners) listener(change);
  };

  function tried(step: string): void {
    if (state.tried.has(step)) return;
    state.tried.add(step);
    notify({ kind: 'tried', step });
  }

  function addItem(item: Item): void {
    state.timeline.set(item.key, item);
    notify({ kind: 'timeline', item });
  }

  const receive: { readonly [Kind in SandboxEvent['kind']]: (event: SandboxEvent & { kind: Kind }) => void } = {
    simulation({ kind, outages }) {
      state.outages = outages;
      notify({ kind });
    },
    credits({ kind, credits }) {
      const wasSpent = Object.entries(credits).some(([id, now]) => (now ?? 0) < (state.credits[id] ?? 0));
      state.credits = credits;
      if (wasSpent && state.tried.has('shop')) tried('purchase');
      notify({ kind });
    },
    timeline({ item }) {
      page.viewChanged('side');
      addItem(item);
    },
    tour: ({ step }) => tried(step),
  };

  page.on(['full_state'], ({ activity, extension }) => {
    const { tours, timeline, ...rest } = extension as SandboxState;
    Object.assign(state, rest);
    for (const step of tours.done) state.tried.add(step);
    state.tour = tours.chosen;
    state.timeline.clear();
    const items = [...timeline, ...activity.map(asItem)].toSorted((one, other) => one.at - other.at);
    for (const item of items) state.timeline.set(item.key, item);
  });
  page.on(['activity'], ({ line }) => addItem(asItem(line)));
  page.on(['added'], ({ event }) =>
    receive[event.kind as 'simulation'](event as SandboxEvent & { kind: 'simulation' }),
  );
  page.on(['sent'], ({ action: { name, customId } }) => {
    if (name?.startsWith('/')) tried(name.slice(1));
    const [program, pressed] = customId?.split(':') ?? [];
    if (program === 'tallyhook' && pressed?.includes('/')) tried(pressed);
  });

  return {
    state: state as Readonly<State>,
    /** The store of Discord. */
    page,
    /** Calls the listener with each change of these kinds. */
    on<Kind extends Change['kind']>(kinds: readonly Kind[], listener: (change: ChangeOf<Kind>) => void) {
      listeners.add((change) => {
        if ((kinds as readonly Change['kind'][]).includes(change.kind)) listener(change as ChangeOf<Kind>);
      });
    },
    chooseTour(tour: TourName) {
      state.tour = tour;
      notify({ kind: 'tour' });
    },
    tried,
  };
}

function asItem(line: ActivityLine): Item {
  return { ...line, kind: 'activity' };
}
