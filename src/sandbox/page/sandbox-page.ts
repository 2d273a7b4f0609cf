import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { FullState, PageConnection, PageEvent, PageExtension } from 'local-discord/page';
import { consolePath, sandboxFace } from './panels.ts';
import type { KeyedItem, PagePorts } from './ports.ts';
import { createSandboxActions } from './sandbox-actions.ts';

/** Adds what a sandbox has besides Discord to the page of the local Discord: votes, faults, tours, and the timeline. */
export function createSandboxPage(ports: PagePorts): PageExtension {
  return {
    ...sandboxFace,
    connect(page) {
      const send = (event: SandboxEvent) => page.send(event);
      const credits = createBalances(page, ports, (balances) => send({ kind: 'credits', credits: balances }));
      const timeline = new BoundedMap<KeyedItem>(maxItems);
      let lines = 0;
      ports.events.on('timeline', (item) => {
        const key = item.kind === 'delivery' ? `delivery-${item.id}` : `line-${lines++}`;
        timeline.set(key, { ...item, key });
        send({ kind: 'timeline', item: { ...item, key } });
        void credits.refresh();
      });
      page.onActivity(() => void credits.refresh());
      ports.events.on('simulation', () => send({ kind: 'simulation', outages: ports.outages }));
      ports.events.on('tour', (step) => send({ kind: 'tour', step }));
      return {
        actions: createSandboxActions(ports),
        paths: {
          [consolePath]: (response) => response.writeHead(303, { Location: ports.consoleLink() ?? '/' }).end(),
        },
        prepare: () => credits.refresh(),
        state: () => sandboxState(ports, credits.current, [...timeline.values()]),
      };
    },
  };
}

/** Number of items of the timeline that are stored. */
const maxItems = 200;

/** By user; null if it is not available (credits). */
type Balances = Readonly<Record<string, number | null>>;

function sandboxState(ports: PagePorts, credits: Balances, timeline: readonly KeyedItem[]) {
  return {
    isLinked: ports.isLinked,
    tours: { done: ports.tours.done, chosen: ports.tours.chosen },
    program: ports.commandLine?.program ?? null,
    listings: ports.listings,
    serviceUrl: ports.serviceUrl ?? null,
    outages: ports.outages,
    credits,
    timeline,
  };
}

/** The part of the sandbox in the first state of the page. */
export type SandboxState = ReturnType<typeof sandboxState>;

/** What the stream contains besides the events of Discord. */
export type SandboxEvent =
  | { readonly kind: 'simulation'; readonly outages: PagePorts['outages'] }
  | { readonly kind: 'credits'; readonly credits: Balances }
  | { readonly kind: 'timeline'; readonly item: KeyedItem }
  | { readonly kind: 'tour'; readonly step: string };

export type SandboxFullState = FullState & { readonly extension: SandboxState };
export type SandboxPageEvent = Exclude<PageEvent, FullState> | SandboxFullState | SandboxEvent;

/** How long events are collected before the balances are fetched again (ms). */
const batchDelayMs = 120;

/** The balances of all members, fetched again after events that may have changed them. */
function createBalances(
  { userIds, stopwatch }: PageConnection,
  { credits }: PagePorts,
  onChange: (balances: Balances) => void,
) {
  let current: Balances = {};
  let pending: Promise<void> | undefined;

  async function fetchLater(): Promise<void> {
    await stopwatch.sleep(batchDelayMs);
    pending = undefined;
    const entries = userIds.map(async (id) => [id, await credits(id).catch(() => null)] as const);
    const balances = Object.fromEntries(await Promise.all(entries));
    if (JSON.stringify(balances) === JSON.stringify(current)) return;
    current = balances;
    onChange(balances);
  }

  return {
    get current(): Balances {
      return current;
    },
    /** Fetches the balances again. Calls within the batch delay share one fetch. */
    refresh(): Promise<void> {
      pending ??= fetchLater();
      return pending;
    },
  };
}
