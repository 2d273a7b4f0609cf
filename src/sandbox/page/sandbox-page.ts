import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { html } from '@tallyhook/platform/web/html';
import {
  action,
  type FullState,
  type PageConnection,
  type PageEvent,
  type PageExtension,
  type PageFace,
  user,
} from 'local-discord/page';
import { z } from 'zod';
import { faultActions, type KeyedItem, type PagePorts, tourNames } from './ports.ts';

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
          [dashboardPath]: (response) => response.writeHead(303, { Location: ports.dashboard() ?? '/' }).end(),
        },
        prepare: () => credits.refresh(),
        state: () => sandboxState(ports, credits.current, [...timeline.values()]),
      };
    },
  };
}

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

/** An event of the stream besides those of Discord. */
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

/** Leads to the owner's console, signed in. */
export const consolePath = '/console';
/** Leads to the same console, where a manager signs in with Discord. */
export const dashboardPath = '/dashboard';

/** The tours, the listing service, faults, the timeline and the doctor. */
export const sandboxFace = {
  name: 'sandbox',
  title: 'tallyhook sandbox',
  icon: 'sandbox.svg',
  top: html`
      <section class="tour" id="hint-panel" aria-label="Tours" hidden>
        <div class="tour-names" id="tour-names"></div>
        <div class="hint">
          <div id="hint"></div>
          <button type="button" class="hint-go" id="hint-go">…</button>
        </div>
      </section>`,
  aside: {
    name: 'Listing service',
    content: html`
        <section class="panel" aria-labelledby="service-title">
          <h2 id="service-title">Listing service</h2>
          <p class="panel-note" id="service-link" hidden></p>
          <p class="balance"><span id="balance-of">…</span> <strong id="balance">…</strong></p>
          <div class="votes" id="votes"></div>
          <div class="panel" id="sites" hidden>
            <h3>Imitations of other sites</h3>
            <p class="panel-note" id="site-links"></p>
            <div class="votes" id="site-votes"></div>
          </div>
          <p class="vote-result" id="vote-result" role="status"></p>
        </section>
        <section class="panel" aria-labelledby="trouble-title">
          <h2 id="trouble-title">Inject faults</h2>
          <p class="panel-note clock"><span class="visually-hidden">Sandbox time:</span> <span id="sandbox-time">…</span></p>
          <div class="troubles" id="troubles"></div>
          <p class="trouble-result" id="trouble-result" role="status"></p>
          <p class="operator">
            <a href="${consolePath}" target="_blank" rel="noopener">Open owner console ↗</a>
            <button type="button" class="link" id="doctor-run">Run doctor</button>
          </p>
        </section>
        <section class="panel timeline-panel" aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <p class="panel-note"><button type="button" class="link" id="timeline-commands" hidden></button></p>
          <p class="visually-hidden" id="timeline-news" role="status"></p>
          <ol class="timeline" id="timeline" aria-labelledby="timeline-title"></ol>
        </section>
      `,
  },
  dialogs: html`
    <dialog class="modal" id="doctor" aria-labelledby="doctor-title">
      <div class="dialog-body">
        <h2 id="doctor-title">Doctor</h2>
        <p class="field-hint">What <code>tallyhook doctor</code> finds in this sandbox.</p>
        <ul class="findings" id="findings" aria-live="polite"></ul>
        <div class="modal-buttons">
          <button type="button" class="button primary" id="doctor-close">Close</button>
        </div>
      </div>
    </dialog>`,
  languages: {
    ofMember: 'Replies to this member are in this language.',
    ofGuild: 'Announcements are in this language.',
  },
  script: {
    source: () => new URL('./browser/main.ts', import.meta.url),
    built: () => new URL('./public/sandbox.js', import.meta.url),
  },
  files: () =>
    ['service.css', 'deliveries.css', 'tours.css', 'sandbox.svg'].map(
      (name) => new URL(`./public/${name}`, import.meta.url),
    ),
} satisfies PageFace;

const tour = z.enum(tourNames);
const vote = user.extend({ kind: z.enum(['server', 'bot']), site: z.string().max(50).optional() });

function createSandboxActions(ports: PagePorts) {
  return {
    '/page/trouble': action(user.extend({ fault: z.enum(faultActions) }), async ({ fault, userId }) => ({
      message: await ports.injectFault(fault, userId),
    })),
    '/page/tour': action(z.object({ step: z.string().max(50) }), ({ step }) => ports.tours.finish(step)),
    '/page/chosen-tour': action(z.object({ tour }), (input) => ports.tours.choose(input.tour)),
    '/page/start-over': action(z.object({ linked: z.boolean(), tour }), (next) => ports.commandLine?.startOver(next)),
    '/page/doctor': action(z.object({}), async () => ({ findings: await ports.runDoctor() })),
    '/page/votes': action(vote, (input) => ports.castVote(input)),
  };
}

export type SandboxActions = ReturnType<typeof createSandboxActions>;
