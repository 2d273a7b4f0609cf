import { minute, second } from '@tallyhook/platform/durations';
import { apiKeyForm } from '@tallyhook/platform/pasted-forms';
import { bold, escapeName, lines, markup, mention, subtext, timestamp } from '@tallyhook/platform/texts/markup';
import { customSite } from '../../src/core/settings/listing-settings.ts';
import type { Arrival } from '../../src/core/settings/stored-settings.ts';
import { textField } from '../../src/discord/commands/input.ts';
import type { ActionTarget, Later, Modal, ModalField, Panel, PanelBlock } from '../../src/discord/commands/reply.ts';
import type { GeneratedSecrets, KeyCheck, LinkResult } from '../../src/features/settings/community.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { Site } from '../../src/webhook/sites/site.ts';
import { renderChannelStep } from './first-steps.ts';
import {
  choiceOptions,
  chosenSite,
  linkSite,
  openSiteButtons,
  type SiteChoice,
  siteForm,
  siteStep,
  siteSteps,
  trustText,
} from './link-site.ts';
import { addressBlocks, siteAddressBlocks } from './listing-section.ts';
import { type Problem, problemOf, renderProblems } from './problems.ts';
import { panel } from './results.ts';
import {
  authorOf,
  button,
  buttonBlock,
  displayName,
  type ListingView,
  linkButtons,
  listingOptions,
  openView,
  type SetupView,
  textBlock,
} from './view.ts';

const pollMs = 2 * second;
/** What arrived shortly before the panel was opened counts (ms). */
const earlyMs = 1 * minute;

/** What top.gg has connected for the member: to be linked here, or not. */
export async function heldBlocks({ texts, services, guildId, input }: SetupView): Promise<PanelBlock[]> {
  const { text } = texts;
  const held = await services.connections.heldFor(guildId, input.userId);
  return held.map(({ listing, kind, targetId }) => ({
    kind: 'section',
    text: text('setup.connect.held', {
      name: kind === 'bot' ? mention(targetId) : bold(escapeName(text('setup.choices.server'))),
    }),
    button: button(text('setup.buttons.linkHere'), 'held', { n: listing }, 'primary'),
  }));
}

export async function confirmHeld(view: SetupView): Promise<Panel> {
  const { services, input, texts } = view;
  const result = await services.connections.confirm(String(input.options['n']), authorOf(view));
  if (result === null) return renderLinkStep(view);
  if (result.status === 'invalid') {
    const problems = result.issues.map((issue) => problemOf(issue, view));
    return renderUnlinked(view, problems, null);
  }
  const { listing } = result;
  return renderChannelStep(
    { ...view, listing },
    texts.text('setup.link.title', { name: escapeName(listing.site?.name ?? listing.name) }),
  );
}

/** The first step: to connect the service, another site, or the service's key. `later` turns green what was connected. */
export async function linkStep(view: SetupView): Promise<Pick<Panel, 'blocks' | 'later'>> {
  const { texts, services, guildId, community, input, clock } = view;
  const { text } = texts;
  const { hasService } = services.checks;
  const dashboard = await services.checks.dashboardOf(guildId);
  const offer = await services.checks.connectOffer(community, input.userId);
  const first =
    offer === null
      ? [textBlock(text('setup.welcome.text'))]
      : [
          textBlock(text('setup.connect.hint')),
          buttonBlock(...linkButtons(text('setup.buttons.connect'), offer.url)),
          textBlock(lines(bold(text('setup.connect.byHand')), text('setup.welcome.text'))),
        ];
  const byKey = buttonBlock(
    button(text('setup.buttons.pasteKey'), 'link'),
    ...linkButtons(text('setup.buttons.findKey'), dashboard),
  );
  return {
    blocks: [...(await heldBlocks(view)), ...first, ...siteStep(view), ...(hasService ? [byKey] : [])],
    ...(offer !== null && { later: waitForArrival(view, offer.listing, clock.now() - earlyMs) }),
  };
}

/** The first step for one more listing. */
export async function renderLinkStep(view: SetupView): Promise<Panel> {
  const { text } = view.texts;
  const { blocks, ...step } = await linkStep(view);
  return {
    ...panel('plain', escapeName(text('setup.forms.link')), blocks, [
      button(text('setup.buttons.overview'), 'overview'),
    ]),
    ...step,
  };
}

/** The form for a listing on the service: kind and id follow from the key. */
export function linkForm({ texts }: SetupView): Modal {
  return { kind: 'modal', title: texts.text('setup.forms.link'), action: 'linked', fields: [keyField(texts)] };
}

/** The form that replaces the API key of a listing. */
export function keyForm(view: ListingView): Modal {
  const { texts } = view;
  const options = listingOptions(view);
  return {
    kind: 'modal',
    title: texts.text('setup.forms.key'),
    action: 'key-saved',
    options,
    fields: [keyField(texts)],
  };
}

function keyField({ text }: Texts): ModalField {
  return {
    kind: 'text',
    name: 'lookupKey',
    label: text('setup.fields.lookupKey'),
    description: text('setup.hints.lookupKey'),
    maxLength: 300,
  };
}

/** Checks the key, saves the listing, and shows what to enter in the service's dashboard. */
export async function linkListing(view: SetupView): Promise<Panel> {
  const { input, services, clock, guildId } = view;
  const lookupKey = apiKeyForm.clean(textField(input, 'lookupKey'));
  const check = await services.checks.checkKey(guildId, null, lookupKey);
  if (check.status !== 'valid') return renderUnlinked(view, [keyProblem(view, check)], formOfService);
  const { kind, name, targetId } = check;
  const since = clock.now();
  const result = await services.settings.link({
    ...authorOf(view),
    kind,
    targetId: targetId ?? (kind === 'server' ? guildId : input.applicationId),
    lookupKey,
    voteSecret: null,
  });
  return renderLinked(view, result, { since, name, form: formOfService });
}

/** The second step on another site: what to do there first, a form, or at once the listing if there is nothing to ask. */
export async function openSite(view: SetupView): Promise<Modal | Panel> {
  const choice = chosenSite(view);
  if (choice === null) return renderLinkStep(view);
  const { site } = choice;
  if (site !== customSite && site.setup.secret === 'theirs') return renderSiteSteps(view, site, choice);
  const draft = view.input.values.length === 0 ? view.services.drafts.find(siteDraftKey(view)) : null;
  return siteForm(view, choice, draft ?? {}) ?? linkOnSite(view, choice);
}

/** Where the site makes the secret: the address comes first, because the secret is shown where the address is entered. */
function renderSiteSteps(view: SetupView, site: Site, choice: SiteChoice): Panel {
  const { texts, services } = view;
  const { text } = texts;
  const { name, address } = services.settings.reserve(site.id, choice.name);
  return panel(
    'wait',
    escapeName(site.name),
    [
      textBlock(siteSteps(texts, site, text('setup.link.siteSecret'))),
      ...siteAddressBlocks(texts, address),
      textBlock(subtext(trustText(texts, site))),
    ],
    [
      ...openSiteButtons(texts, site),
      button(text('setup.buttons.enterSecret'), 'site-form', choiceOptions({ ...choice, name }), 'primary'),
      button(text('setup.buttons.overview'), 'overview'),
    ],
  );
}

/** The form after {@link renderSiteSteps}. */
export async function openSiteForm(view: SetupView): Promise<Modal | Panel> {
  const choice = chosenSite(view);
  return (choice && siteForm(view, choice)) ?? renderLinkStep(view);
}

export async function submitSite(view: SetupView): Promise<Panel> {
  const choice = chosenSite(view);
  return choice === null ? renderLinkStep(view) : linkOnSite(view, choice);
}

async function linkOnSite(view: SetupView, choice: SiteChoice): Promise<Panel> {
  const { site } = choice;
  const since = view.clock.now();
  const result = await linkSite(view, choice);
  if (result.status === 'invalid' && site === customSite)
    view.services.drafts.put(siteDraftKey(view), view.input.fields);
  const name = site === customSite ? textField(view.input, 'siteName') : site.name;
  const action = site !== customSite && site.setup.secret === 'theirs' ? 'site-form' : 'site';
  return renderLinked(view, result, { since, name, form: { action, options: choiceOptions(choice) } });
}

function siteDraftKey({ guildId, input }: SetupView): string {
  return JSON.stringify([guildId, input.userId, 'site']);
}

const formOfService: ActionTarget = { action: 'link' };

/** What to enter at the site, or why nothing was linked. @param options.form opens the form again */
function renderLinked(
  view: SetupView,
  result: LinkResult,
  { since, name, form }: { readonly since: number; readonly name: string; readonly form: ActionTarget },
): Panel {
  if (result.status === 'invalid') {
    const problems = result.issues.map((issue) => problemOf(issue, view));
    return renderUnlinked(view, problems, form);
  }
  const { listing, secrets } = result;
  return renderWaiting({ ...view, listing }, { since, secrets, name });
}

/** @param form opens the form again; null without one */
function renderUnlinked({ texts }: SetupView, problems: readonly Problem[], form: ActionTarget | null): Panel {
  const { text } = texts;
  return panel(
    'bad',
    text('setup.problems.title'),
    [textBlock(renderProblems(problems))],
    [
      ...(form === null ? [] : [button(text('setup.buttons.editAgain'), form.action, form.options, 'primary')]),
      button(text('setup.buttons.overview'), 'overview'),
    ],
  );
}

/** What is wrong with a key, in the words of the manager. */
export function keyProblem({ texts }: SetupView, check: Exclude<KeyCheck, { status: 'valid' }>): Problem {
  const text =
    'retryAt' in check
      ? texts.text(`setup.link.${check.status}`, { time: timestamp(check.retryAt, 'R') })
      : texts.text(`setup.link.${check.status}`);
  return {
    text: lines(markup`**${escapeName(texts.text('setup.fields.lookupKey'))}**`, text),
    hint: escapeName(texts.text('setup.hints.lookupKey')),
  };
}

/** What to enter where, with the secrets if they are new; turns green when the test arrives. @param since ms since the epoch */
function renderWaiting(
  view: ListingView,
  { since, secrets, name }: { since: number; secrets: GeneratedSecrets | null; name: string },
): Panel {
  const { listing, texts } = view;
  const { text } = texts;
  const options = { l: listing.name, t: Math.floor((since - earlyMs) / second) };
  const { site } = listing;
  // Then its address was entered before, with the secret.
  const isEntered = ({ setup }: Site) => secrets !== null && setup.secret === 'theirs';
  return {
    ...panel(
      'wait',
      text('setup.link.title', { name: escapeName(name, 80) }),
      [
        textBlock(
          site === null
            ? text('setup.link.copy')
            : isEntered(site)
              ? text('setup.link.siteTest')
              : siteSteps(texts, site, text('setup.link.siteTest')),
        ),
        ...addressBlocks(view, secrets),
        ...(secrets?.voteSecret ? [textBlock(subtext(text('setup.link.once')))] : []),
        ...(site === null ? [] : [textBlock(subtext(trustText(texts, site)))]),
        textBlock(text('setup.link.waiting')),
      ],
      [
        button(text('setup.buttons.checkAgain'), 'check', options, 'primary'),
        ...(site === null ? [] : openSiteButtons(texts, site)),
        button(text('setup.buttons.more'), 'more', listingOptions(view)),
        button(text('setup.buttons.later'), 'step-channel', listingOptions(view)),
      ],
    ),
    later: waitForArrival(view, listing.name, since - earlyMs),
  };
}

/** The same for a listing that is linked already. */
export function renderTest(view: ListingView): Panel {
  const name = displayName(view, view.listing.name);
  return renderWaiting(view, { since: view.clock.now(), secrets: null, name });
}

/** Polls while the message can be changed. */
function waitForArrival(view: SetupView, listing: string, since: number): Later {
  const { input, services, clock, guildId } = view;
  return async (signal) => {
    while (!signal.aborted) {
      await clock.sleep(pollMs, signal);
      const arrival = signal.aborted ? null : await services.settings.arrivedSince(guildId, listing, since);
      if (arrival === null) continue;
      const current = await openView({ ...input, action: null, options: { l: listing } }, view, guildId);
      return renderArrived(current, arrival);
    }
    return null;
  };
}

/** "Check again": a new message if nothing has arrived, because the secrets in the first one are shown only there. */
export async function checkTest(view: ListingView): Promise<Panel> {
  const { input, services, listing, texts, guildId } = view;
  const since = Number(input.options['t']) * second;
  const arrival = Number.isSafeInteger(since)
    ? await services.settings.arrivedSince(guildId, listing.name, Math.max(0, since))
    : null;
  if (arrival !== null) return renderArrived(view, arrival);
  return { ...panel('wait', texts.text('setup.link.notYet'), [], []), response: 'new' };
}

function renderArrived(view: SetupView, { at, isTest }: Arrival): Panel {
  const { text } = view.texts;
  return renderChannelStep(
    view,
    text(isTest ? 'setup.link.arrived' : 'setup.link.voteArrived', { time: timestamp(at, 'R') }),
  );
}
