import type { CheckResult } from '@tallyhook/platform/doctor/check';
import { formatCount, second } from '@tallyhook/platform/durations';
import {
  actingMember,
  findById,
  formatTime,
  html,
  nothing,
  type PageStore,
  relativeTime,
  render,
  type TemplateResult,
} from 'local-discord/page/browser';
import { type FaultAction, faultActions, faults } from '../ports.ts';
import { formatLead } from './lead.ts';
import { postAction, type SandboxStore, type State } from './sandbox-store.ts';

type Listing = State['listings'][number];
type VoteResponse = Awaited<ReturnType<typeof postAction<'/page/votes'>>>;

/** The panel of the listing service: vote buttons and the acting member's balance. */
export function startServicePanel({ state, page, on }: SandboxStore): void {
  const result = findById('vote-result');

  function renderVotes(): void {
    const [ofService, ofSites] = [isOfService, isOfSite].map((belongs) => state.listings.filter(belongs));
    render(ofService?.map(voteButton), findById('votes'));
    render(ofSites?.map(voteButton), findById('site-votes'));
    findById('sites').hidden = ofSites?.length === 0;
    const pages = ofSites
      ?.flatMap(({ site }) => site ?? [])
      .map(({ name, localPage }) => externalLink(localPage, `${name} ↗`));
    render(pages, findById('site-links'));
    findById('service-link').hidden = state.serviceUrl === null;
    render(externalLink(state.serviceUrl ?? '', 'Open its website ↗'), findById('service-link'));
  }

  function voteButton(listing: Listing): TemplateResult {
    const { kind, name, site } = listing;
    const action = site === undefined ? `Vote for the ${kind} ` : `Vote on ${site.name} `;
    return html`<button type="button" class="button primary vote" data-vote=${site?.id ?? kind} @click=${() => void vote(listing)}><span class="vote-kind">${action}</span><span class="vote-name">${name}</span></button>`;
  }

  async function vote({ kind, name, site }: Listing): Promise<void> {
    render('Voting…', result);
    const response = await postAction('/page/votes', { userId: page.state.userId, kind, site: site?.id });
    render(describeVote(response, site === undefined ? name : `${name} on ${site.name}`, page.state), result);
  }

  function renderBalance(): void {
    const member = actingMember(page.state);
    // Before a listing is linked there are no accounts.
    const credits = state.credits[page.state.userId] ?? (state.isLinked ? null : 0);
    findById('balance-of').textContent = member ? `${member.name} has` : '';
    findById('balance').textContent =
      typeof credits === 'number' ? formatCount(credits, 'credit') : 'an unknown balance';
  }

  on(['full_state'], renderVotes);
  on(['full_state', 'sidebar', 'credits', 'acting'], renderBalance);
  on(['acting'], () => render(nothing, result));
}

const externalLink = (href: string, text: string) =>
  html` <a href=${href} target="_blank" rel="noopener noreferrer">${text}</a>`;
const isOfSite = ({ site }: Listing) => site !== undefined;
const isOfService = ({ site }: Listing) => site === undefined;

function describeVote(
  response: VoteResponse,
  name: string,
  { clock, bot }: PageStore['state'],
): string | TemplateResult {
  if (response.error !== undefined) return response.error;
  switch (response.outcome) {
    case 'recorded':
      if (response.isDelivered) return `Vote for ${name} recorded; the webhook follows.`;
      return `Vote for ${name} recorded. No webhook is set up for it, so ${bot.name} does not hear of this vote.`;
    case 'too_soon':
      return html`Already voted for ${name}. Next vote ${relativeTime(response.nextVoteAt, clock.now())}.`;
    case 'refused':
      return response.reason;
  }
}

/** The buttons that inject faults, and the sandbox time. */
export function startFaultPanel({ state, page, on }: SandboxStore): void {
  const result = findById('trouble-result');
  const time = findById('sandbox-time');

  async function inject(action: FaultAction): Promise<void> {
    result.textContent = '…';
    const response = await postAction('/page/trouble', { fault: action, userId: page.state.userId });
    result.textContent = response.error ?? response.message;
  }

  function renderButtons(): void {
    const button = (action: FaultAction) => {
      const { label, hint, ...fault } = faults[action];
      const isDown = 'down' in fault && state.outages[fault.down];
      const press = () => {
        if (!isDown) void inject(action);
      };
      return html`<button type="button" class="button secondary trouble ${isDown ? 'down' : ''}" title=${hint} data-trouble=${action} aria-disabled=${isDown ? 'true' : nothing} @click=${press}>${label}</button>`;
    };
    render(faultActions.map(button), findById('troubles'));
  }

  function renderClock(): void {
    const { loaded, clock, speed } = page.state;
    if (!loaded) return;
    const lead = formatLead(clock.offsetMs());
    const parts = [speed === 1 ? '' : `${speed}× speed`, lead === null ? '' : `${lead} ahead`];
    const now = `${formatTime(clock.now(), 'd')} ${formatTime(clock.now(), 't')}`;
    const text = [now, ...parts.filter(Boolean)].join(', ');
    if (time.textContent !== text) time.textContent = text;
  }

  renderButtons();
  setInterval(renderClock, second);
  on(['full_state', 'simulation'], renderButtons);
  on(['full_state', 'time'], renderClock);
}

const symbols: Readonly<Record<CheckResult['level'], string>> = { pass: '✓', warn: '!', fail: '✗' };
const words: Readonly<Record<CheckResult['level'], string>> = { pass: 'Works', warn: 'Warning', fail: 'Failed' };

/** The dialog with what `tallyhook doctor` finds. */
export function startDoctor(): void {
  const dialog = findById<HTMLDialogElement>('doctor');
  const list = findById('findings');

  const item = ({ level, check, message, hint }: CheckResult) =>
    html`<li class=${level}><span aria-hidden="true">${symbols[level]}</span><span class="visually-hidden">${words[level]}:</span> <div><b>${check}</b> ${message}${hint === null ? nothing : html`<p class="field-hint">${hint}</p>`}</div></li>`;

  async function run(): Promise<void> {
    render(html`<li>Checking …</li>`, list);
    dialog.showModal();
    const response = await postAction('/page/doctor', {});
    render(response.error === undefined ? response.findings.map(item) : html`<li>${response.error}</li>`, list);
  }

  findById('doctor-run').addEventListener('click', () => void run());
  findById('doctor-close').addEventListener('click', () => dialog.close());
}
