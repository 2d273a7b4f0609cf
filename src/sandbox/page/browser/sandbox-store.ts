import type { ActivityLine } from 'local-discord/page';
import { actionSender, type PageStore } from 'local-discord/page/browser';
import type { KeyedItem, TourName } from '../ports.ts';
import type { SandboxActions, SandboxEvent, SandboxState } from '../sandbox-page.ts';

/** An entry of the timeline: also what happened on Discord. */
export type Item = KeyedItem | (ActivityLine & { readonly kind: 'activity' });

/** The state of the sandbox's page besides Discord. */
export type State = Omit<SandboxState, 'tours' | 'timeline'> & {
  /** Oldest first, by key; a new item with the same key replaces the old one. */
  readonly timeline: Map<string, Item>;
  /** The tour that is shown. */
  tour: TourName;
  /** The steps of tours that were done. */
  readonly tried: Set<string>;
};

/** A change on the page besides those of Discord. */
export type SandboxChange =
  | SandboxEvent
  | { readonly kind: 'tried'; readonly step: string }
  | { readonly kind: 'chosen_tour' };

export type SandboxStore = ReturnType<typeof createSandboxStore>;

export const postAction = actionSender<SandboxActions>();

/** Applies the sandbox's events to a state beside that of Discord. */
export function createSandboxStore(page: PageStore<SandboxChange>) {
  const on = page.on.bind(page);
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

  function tried(step: string): void {
    if (state.tried.has(step)) return;
    state.tried.add(step);
    page.notify({ kind: 'tried', step });
  }

  on(['full_state'], ({ activity, extension }) => {
    const { tours, timeline, ...rest } = extension as SandboxState;
    Object.assign(state, rest);
    for (const step of tours.done) state.tried.add(step);
    state.tour = tours.chosen;
    state.timeline.clear();
    const items = [...timeline, ...activity.map(asItem)].toSorted((one, other) => one.at - other.at);
    for (const item of items) state.timeline.set(item.key, item);
  });
  on(['activity'], ({ line }) => state.timeline.set(line.key, asItem(line)));
  on(['timeline'], ({ item }) => {
    state.timeline.set(item.key, item);
    page.viewChanged('side');
  });
  on(['simulation'], ({ outages }) => {
    state.outages = outages;
  });
  on(['credits'], ({ credits }) => {
    const wasSpent = Object.entries(credits).some(([id, now]) => (now ?? 0) < (state.credits[id] ?? 0));
    state.credits = credits;
    if (wasSpent && state.tried.has('shop')) tried('purchase');
  });
  on(['tour'], ({ step }) => tried(step));
  on(['sent'], ({ action: { name, customId } }) => {
    if (name?.startsWith('/')) tried(name.slice(1));
    const [program, pressed] = customId?.split(':') ?? [];
    if (program === 'tallyhook' && pressed?.includes('/')) tried(pressed);
  });

  return {
    state: state as Readonly<State>,
    /** The store of Discord. */
    page,
    on,
    chooseTour(tour: TourName) {
      state.tour = tour;
      page.notify({ kind: 'chosen_tour' });
    },
    tried,
  };
}

function asItem(line: ActivityLine): Item {
  return { ...line, kind: 'activity' };
}
