import { findById, html, nothing, render, type TemplateResult, type View } from 'local-discord/page/browser';
import { type TourName, tourNames } from '../ports.ts';
import { postAction, type SandboxStore } from './sandbox-store.ts';
import { type TourStep, tours } from './tours.ts';

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

  /** What other views do not report. */
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
