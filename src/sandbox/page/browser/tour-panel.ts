import {
  controlsOf,
  findById,
  html,
  nothing,
  type PageStore,
  render,
  type TemplateResult,
  type View,
} from 'local-discord/page/browser';
import { type StepName, type TourName, tourNames } from '../ports.ts';
import { type Item, postAction, type SandboxStore, type State } from './sandbox-store.ts';

type Shown = PageStore['state'] & Readonly<State>;

interface TourStep {
  /** The name of the step, as it is stored. */
  readonly name: string;
  /** True if the page shows that it is done, unless `PageStore.tried` says so. */
  readonly isDone?: (state: Shown) => boolean;
  /** The command that it needs; it is left out while the bot does not offer it. */
  readonly command?: string;
  /** Where it is done, unless in the card itself. */
  readonly view?: View;
  readonly text: TemplateResult;
}

export interface Tour {
  readonly title: string;
  /** True if it needs a bot that knows the listings, or one that learns them with `/setup`. */
  readonly isLinked: boolean;
  /** The page of the documents that continues where it ends. */
  readonly guide: string;
  readonly steps: readonly TourStep[];
}

const guides = 'https://github.com/tallyhook/tallyhook/blob/main/docs/guides';

const tours: Readonly<Record<TourName, Tour>> = {
  vote: {
    title: 'I vote',
    isLinked: true,
    guide: `${guides}/member.md`,
    steps: [
      {
        name: 'vote',
        isDone: hasVote,
        view: 'side',
        text: html`Press <b>Vote for the server</b>: the bot announces it in #votes and pays 10 credits.`,
      },
      {
        name: 'canvote',
        view: 'chat',
        text: html`Type <code>/canvote</code> in the message box: it says where you can vote next.`,
      },
      {
        name: 'everywhere',
        isDone: ({ timeline }) => anyStep(timeline, ({ text }) => text.includes('votes on all listings')),
        view: 'side',
        text: html`Vote for the bot and on the other sites, too: all of them in one day earn 20 credits more.`,
      },
      {
        name: 'credits',
        command: 'credits',
        view: 'chat',
        text: html`Type <code>/credits</code>: one balance for all sites, with your rank and your streak.`,
      },
      {
        name: 'leaderboard',
        command: 'leaderboard',
        view: 'chat',
        text: html`A season has ended: in #votes are the winners of last week. Type <code>/leaderboard</code>: it says what the
          best of this week win, and until when votes count.`,
      },
      {
        name: 'remind/on',
        command: 'remind',
        view: 'chat',
        text: html`Press <b>Remind me</b> below a vote in #votes.`,
      },
      {
        name: 'reminder',
        isDone: hasDirectMessage,
        command: 'remind',
        view: 'side',
        text: html`Press <b>+12 hours</b>: within seconds the bot writes to you that you can vote again.`,
      },
      {
        name: 'purchase',
        command: 'shop',
        view: 'chat',
        text: html`Spend your credits: type <code>/shop</code>, and buy the role VIP or a game key.`,
      },
    ],
  },
  own: {
    title: 'I own a server',
    isLinked: false,
    guide: `${guides}/owner.md`,
    steps: [
      {
        name: 'link',
        isDone: ({ commands }) => commands.some(({ name }) => name === 'canvote'),
        view: 'chat',
        text: html`Type <code>/setup</code> and link Lantern Harbour: press <b>Connect</b>, sign in as mira and agree. Or paste its
          API key, from Edit server, Advanced setup, on the website of the listing service.`,
      },
      {
        name: 'webhook',
        isDone: ({ timeline }) => anyStep(timeline, ({ name }) => name === 'test' || name === 'recorded'),
        view: 'chat',
        text: html`Enter the address and the secret from <code>/setup</code> on the same website, Edit server, Vote Webhooks, and
          press Test Webhook: <b>Connect</b> does all of that. Then choose #votes and a preset here.`,
      },
      {
        name: 'vote',
        isDone: hasVote,
        view: 'side',
        text: html`Press <b>Vote for the server</b>: your first voter is paid.`,
      },
      {
        name: 'role',
        isDone: hasVoter,
        view: 'chat',
        text: html`Give voters a role: in <code>/setup</code>, <b>Roles</b>. It comes with the next vote: press +12 hours, and
          vote.`,
      },
      {
        name: 'item',
        isDone: ({ messages }) => messages.some(({ message: { components } }) => hasControl(components, 'shop/buy')),
        view: 'chat',
        text: html`Open a shop: in <code>/setup</code>, <b>Shop</b>, add an item. Then look at it with <code>/shop</code>.`,
      },
      {
        name: 'trace',
        view: 'chat',
        text: html`“I voted and got nothing”: type <code>/trace</code> with a member to see what became of each vote.`,
      },
      {
        name: 'setup/undo',
        view: 'chat',
        text: html`Take something back: in <code>/setup</code>, <b>History</b>, press Undo.`,
      },
      {
        name: 'dashboard',
        text: html`Open <a href="/dashboard" target="_blank" rel="noopener">your dashboard ↗</a>, sign in with Discord as mira, and
          see who votes, and every setting on a page.`,
      },
    ],
  },
  run: {
    title: 'I run it',
    isLinked: true,
    guide: `${guides}/self-hoster.md`,
    steps: [
      {
        name: 'console',
        text: html`Open the <a href="/console" target="_blank" rel="noopener">owner console ↗</a>: members, deliveries, and
          what failed. This link signs you in.`,
      },
      {
        name: 'outage',
        isDone: ({ timeline }) => [...timeline.values()].some((item) => has(item, 'waiting') && has(item, 'announced')),
        view: 'side',
        text: html`Press <b>Discord down</b>, then vote: it is paid at once, and announced when Discord is back.`,
      },
      {
        name: 'duplicate',
        isDone: ({ timeline }) => anyStep(timeline, ({ name }) => name === 'duplicate'),
        view: 'side',
        text: html`Press <b>Repeat delivery</b>: the same vote again pays nothing.`,
      },
      {
        name: 'forgery',
        isDone: ({ timeline }) =>
          anyStep(timeline, ({ name, text }) => name === 'refused' && text.includes('does not match')),
        view: 'side',
        text: html`Press <b>Break signature</b>: a forged vote is rejected.`,
      },
      {
        name: 'doctor',
        view: 'side',
        text: html`Press <b>Run doctor</b>: it checks settings, Discord, keys, addresses and the database.`,
      },
    ],
  },
};

function anyStep(timeline: Shown['timeline'], matches: (step: { name: StepName; text: string }) => boolean): boolean {
  return [...timeline.values()].some((item) => item.kind === 'delivery' && item.steps.some(matches));
}

function has(item: Item, step: StepName): boolean {
  return item.kind === 'delivery' && item.steps.some(({ name }) => name === step);
}

/** Includes votes from the service's own pages, from `tallyhook send`, and from before the page was opened. */
function hasVote({ timeline }: Shown): boolean {
  return [...timeline.values()].some((item) => {
    const isVote = item.kind === 'delivery' && (item.event === null || item.event.endsWith('_vote'));
    return isVote && has(item, 'recorded');
  });
}

function hasVoter({ members, roles }: Shown): boolean {
  const voter = roles.find(({ name }) => name === 'Voter');
  return members.some((member) => voter !== undefined && member.roles.includes(voter.id));
}

function hasDirectMessage({ channels, messages }: Shown): boolean {
  const direct = channels.filter(({ kind }) => kind === 'direct').map(({ id }) => id);
  return messages.some(({ message }) => direct.includes(message.channel_id) && message.interaction === undefined);
}

function hasControl(components: Shown['messages'][number]['message']['components'], action: string): boolean {
  return controlsOf(components).some(({ custom_id: id }) => id?.startsWith(`tallyhook:${action}:`));
}

/** The card with the next step of the chosen tour. The sandbox remembers what was done. */
export function startTours(store: SandboxStore): void {
  const { state, page } = store;
  const panel = findById('hint-panel');
  const go = findById('hint-go');

  const isHere = (name: TourName) => tours[name].isLinked === state.isLinked;
  const isOffered = ({ command }: TourStep) =>
    command === undefined || page.state.commands.some(({ name }) => name === command);

  const nextTour = (name: TourName) =>
    html` <button type="button" class="link" @click=${() => store.chooseTour(name)}>Next tour: ${tours[name].title}</button>`;
  const isFinished = (name: TourName) =>
    isHere(name) && tours[name].steps.filter(isOffered).every((step) => state.tried.has(step.name));

  function draw(): void {
    const tour = tours[state.tour];
    const steps = tour.steps.filter(isOffered);
    const next = steps.findIndex(({ name }) => !state.tried.has(name));
    panel.hidden = !page.state.loaded;
    drawGo((isHere(state.tour) && steps[next]?.view) || null);
    render(tourNames.map(nameButton), findById('tour-names'));
    render(isHere(state.tour) ? stepCard(steps, next) : startOverCard(state.tour), findById('hint'));
  }

  /** Leads to the view in which the next step is done. */
  function drawGo(view: View | null): void {
    go.hidden = view === null || view === page.state.view;
    if (view === null) return;
    go.textContent = `Go to ${document.querySelector(`.views [data-show="${view}"]`)?.textContent ?? ''}`;
    go.onclick = () => page.showView(view);
  }

  function nameButton(name: TourName): TemplateResult {
    const choose = () => store.chooseTour(name);
    return html`<button type="button" aria-pressed=${name === state.tour} @click=${choose}>${tours[name].title}</button>`;
  }

  function stepCard(steps: readonly TourStep[], next: number): TemplateResult {
    const step = steps[next];
    if (step === undefined) return doneCard();
    const dots = steps.map(({ name }) => {
      const progress = name === step.name ? 'next' : state.tried.has(name) ? 'done' : '';
      return html`<i class=${progress}></i>`;
    });
    return html`<p><strong>Try this (${next + 1} of ${steps.length}):</strong> ${step.text}</p><p class="tour-dots" aria-hidden="true">${dots}</p>`;
  }

  /** For a tour that needs another sandbox than this one. */
  function startOverCard(tour: TourName): TemplateResult {
    const { isLinked } = tours[tour];
    const text = isLinked
      ? 'This tour is about a bot that knows its listings. What you have set up here stays.'
      : 'This tour begins with a bot that was just invited, and knows no listing. What you have done here stays.';
    const startOver = (event: Event) => {
      (event.currentTarget as HTMLButtonElement).disabled = true;
      void postAction('/page/start-over', { linked: isLinked, tour });
    };
    const command = `tallyhook sandbox${isLinked ? '' : ' --unlinked'}`;
    const button = html`<button type="button" class="button primary" @click=${startOver}>${isLinked ? 'Go to that bot' : 'Begin without listings'}</button>`;
    return html`<p>${text}</p><p>${state.program === null ? html`Start it with <code>${command}</code>.` : button}</p>`;
  }

  function doneCard(): TemplateResult {
    const init = `${state.program ?? 'npx tallyhook'} init`;
    const copy = async ({ currentTarget }: Event) => {
      await navigator.clipboard.writeText(init);
      (currentTarget as HTMLElement).textContent = 'Copied';
    };
    const rest = tourNames.filter((name) => !isFinished(name));
    return html`<p><strong>Done.</strong> Bring it to your server:</p>
      <p class="command"><code>${init}</code><button type="button" class="button secondary" @click=${copy}>Copy</button></p>
      <p class="tour-links"><a href=${tours[state.tour].guide} target="_blank" rel="noopener noreferrer">Guide ↗</a> <a href="/console" target="_blank" rel="noopener">Owner console ↗</a>${rest[0] === undefined ? nothing : nextTour(rest[0])}</p>`;
  }

  /** Finds the steps that other views do not report. */
  function findDone(): void {
    for (const { name, isDone } of isHere(state.tour) ? tours[state.tour].steps : [])
      if (!state.tried.has(name) && isDone?.({ ...page.state, ...state })) store.tried(name);
  }

  draw();
  store.on(['tried'], ({ step }) => void postAction('/page/tour', { step }));
  store.on(['chosen_tour'], () => void postAction('/page/chosen-tour', { tour: state.tour }));
  store.on(['full_state', 'sidebar', 'message', 'activity', 'timeline', 'chosen_tour'], findDone);
  store.on(['tried', 'full_state', 'sidebar', 'view', 'chosen_tour'], draw);
}
