import { minute, second } from '@tallyhook/platform/durations';
import { apiKeyForm, idForm } from '@tallyhook/platform/pasted-forms';
import {
  bold,
  codeBlock,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { customSite, findLinkableSite } from '../../src/core/settings/listing-settings.ts';
import type { Arrival } from '../../src/core/settings/stored-settings.ts';
import { textField } from '../../src/discord/commands/command.ts';
import type {
  ActionTarget,
  Later,
  Modal,
  ModalField,
  OptionValue,
  Panel,
  PanelBlock,
  ReplyButton,
} from '../../src/discord/commands/reply.ts';
import type {
  GeneratedSecrets,
  KeyCheck,
  LinkResult,
  ListingSettings,
  SecretFamily,
} from '../../src/features/settings/community.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { missingFor } from '../../src/lookup/sites/site-apis.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { createDescribedSite } from '../../src/webhook/sites/described-site.ts';
import { linkableSites } from '../../src/webhook/sites/index.ts';
import { homePageOf, type Site, trustOf } from '../../src/webhook/sites/site.ts';
import { textInput, withDraft } from './form.ts';
import { presets, valuesOfPreset } from './presets.ts';
import { credits, setupSections, votePanelButton } from './sections.ts';
import {
  type Block,
  button,
  buttonBlock,
  displayName,
  escapedName,
  findProblemsOf,
  type ListingView,
  linkButtons,
  listingTitle,
  modal,
  openView,
  type Problem,
  panel,
  problemsOf,
  refusing,
  renderProblems,
  renderUnsaved,
  type SetupView,
  selectBlock,
  settingName,
  showSaved,
} from './view.ts';

const pollMs = 2 * second;
/** Tests that arrived so shortly before the panel was opened count (ms). */
const earlyMs = 1 * minute;

/** Blocks with what top.gg has connected for the member: to be linked here, or not. */
export async function heldBlocks(view: SetupView): Promise<readonly Block[]> {
  const { text, services, guildId, input } = view;
  const held = await services.connections.heldFor(guildId, input.userId);
  return held.map(({ listing, kind, targetId }) => ({
    kind: 'section',
    text: text('setup.connect.held', {
      name: kind === 'bot' ? mention(targetId) : bold(escapeName(text('setup.choices.server'))),
    }),
    button: view.button('linkHere', 'held', { n: listing }, 'primary'),
  }));
}

export async function confirmHeld(view: SetupView): Promise<Panel> {
  const { services, input } = view;
  const result = await services.connections.confirm(String(input.options['n']), view.author);
  if (result === null) return renderLinkStep(view);
  if (result.status === 'invalid') return renderUnsaved(view, problemsOf(view, result.issues));
  const { listing } = result;
  const name = escapeName(listing.site?.name ?? listing.name);
  return renderChannelStep(view.of(listing), view.text('setup.link.title', { name }));
}

/** The first step: to connect the service, another site, or a key. Turns green when what was connected delivers. */
export async function renderLinkStep(view: SetupView): Promise<Panel> {
  const { text } = view;
  return linkPanel(view, escapeName(text('setup.forms.link')), button(text('setup.buttons.overview'), 'overview'));
}

/** {@link renderLinkStep} with another title and button. */
export async function linkPanel(view: SetupView, title: Markup, end: ReplyButton | null): Promise<Panel> {
  const { text, services, guildId, community, input, clock } = view;
  const { hasService, dashboardOf, connectOffer } = services.checks;
  const dashboard = await dashboardOf(guildId);
  const offer = await connectOffer(community, input.userId);
  const byKey = [view.button('pasteKey', 'link'), ...linkButtons(text('setup.buttons.findKey'), dashboard)];
  const shown = panel(
    'plain',
    title,
    [
      ...(await heldBlocks(view)),
      offer !== null && text('setup.connect.hint'),
      offer !== null && buttonBlock(...linkButtons(text('setup.buttons.connect'), offer.url)),
      lines(offer && bold(text('setup.connect.byHand')), text('setup.welcome.text')),
      ...siteStep(view),
      hasService && buttonBlock(...byKey),
    ],
    [end],
  );
  return offer === null ? shown : { ...shown, later: waitForArrival(view, offer.listing, clock.now() - earlyMs) };
}

/** The form for a listing on the service: kind and id follow from the key. */
export function linkForm({ text, texts }: SetupView): Modal {
  return modal(text('setup.forms.link'), 'linked', [keyField(texts)]);
}

export function keyForm({ text, texts, listingOptions }: ListingView): Modal {
  return modal(text('setup.forms.key'), 'key-saved', [keyField(texts)], listingOptions);
}

const keyField = (texts: Texts) => textInput(texts, 'lookupKey', { hint: 'lookupKey', maxLength: 300 });

/** Checks the key, saves the listing, and shows what to enter in the service's dashboard. */
export async function linkListing(view: SetupView): Promise<Panel> {
  const { input, services, clock, guildId } = view;
  const lookupKey = apiKeyForm.clean(textField(input, 'lookupKey'));
  const check = await services.checks.checkKey(guildId, null, lookupKey);
  if (check.status !== 'valid') return renderUnsaved(view, [keyProblem(view, check)], formOfService);
  const { kind, name, targetId } = check;
  const since = clock.now();
  const result = await services.settings.link({
    ...view.author,
    kind,
    targetId: targetId ?? (kind === 'server' ? guildId : input.applicationId),
    lookupKey,
    voteSecret: null,
  });
  return renderLinked(view, result, { since, name, form: formOfService });
}

/** The second step on another site: what to do there first, a form, or at once the listing if nothing is asked. */
export const openSite = ofSite((view, choice) => {
  if (choice.site.setup.secret === 'theirs') return renderSiteSteps(view, choice);
  const draft = view.input.values.length === 0 ? view.services.drafts.find(view.draftKey('site')) : null;
  return siteForm(view, choice, draft ?? {}) ?? linkOnSite(view, choice);
});

/** The form after {@link renderSiteSteps}. */
export const openSiteForm = ofSite((view, choice) => siteForm(view, choice));

export const submitSite = ofSite(linkOnSite);

/** Without a site that can be linked, or if nothing is asked of it, the first step. */
function ofSite(handle: (view: SetupView, choice: SiteChoice) => Promise<Panel> | Panel | Modal | null) {
  return async (view: SetupView): Promise<Panel | Modal> => {
    const choice = chosenSite(view);
    return (choice && (await handle(view, choice))) ?? renderLinkStep(view);
  };
}

/** Where the site makes the secret, the address comes first, because it shows the secret where that is entered. */
function renderSiteSteps(view: SetupView, choice: SiteChoice): Panel {
  const { site } = choice;
  const { text, texts, services } = view;
  const { name, address } = services.settings.reserve(site.id, choice.name);
  return panel(
    'wait',
    escapeName(site.name),
    [
      siteSteps(texts, site, text('setup.link.siteSecret')),
      addressText(texts, 'vote', address),
      incompleteNote(texts, address),
      subtext(trustText(texts, site)),
    ],
    [
      ...openSiteButtons(texts, site),
      button(text('setup.buttons.enterSecret'), 'site-form', choiceOptions({ ...choice, name }), 'primary'),
      view.overviewButton,
    ],
  );
}

async function linkOnSite(view: SetupView, choice: SiteChoice): Promise<Panel> {
  const { site, kind, name } = choice;
  const { input, guildId, services, clock } = view;
  const since = clock.now();
  const isCustom = site.id === customSite;
  const result = await services.settings.link({
    ...view.author,
    kind,
    site: site.id,
    ...(isCustom && { custom: describedIn(view) }),
    ...(name !== undefined && { name }),
    targetId: kind === 'server' ? guildId : idForm('any').clean(textField(input, 'botId')) || input.applicationId,
    lookupKey: null,
    voteSecret: textField(input, 'secret') || null,
  });
  if (result.status === 'invalid' && isCustom) services.drafts.put(view.draftKey('site'), input.fields);
  const action = site.setup.secret === 'theirs' ? 'site-form' : 'site';
  const shownName = isCustom ? textField(input, 'siteName') : site.name;
  return renderLinked(view, result, { since, name: shownName, form: { action, options: choiceOptions(choice) } });
}

const formOfService: ActionTarget = { action: 'link' };

/** Panel with what to enter at the site, or why nothing was linked. @param options.form opens the form again */
function renderLinked(
  view: SetupView,
  result: LinkResult,
  { since, name, form }: { readonly since: number; readonly name: string; readonly form: ActionTarget },
): Panel {
  if (result.status === 'invalid') return renderUnsaved(view, problemsOf(view, result.issues), form);
  const { listing, secrets } = result;
  return renderWaiting(view.of(listing), { since, secrets, name });
}

/** Problem with a key, in the words of the manager. */
export function keyProblem({ text }: SetupView, check: Exclude<KeyCheck, { status: 'valid' }>): Problem {
  const problem =
    'retryAt' in check
      ? text(`setup.link.${check.status}`, { time: timestamp(check.retryAt, 'R') })
      : text(`setup.link.${check.status}`);
  return {
    text: lines(markup`**${escapeName(text('setup.fields.lookupKey'))}**`, problem),
    hint: escapeName(text('setup.hints.lookupKey')),
  };
}

/** Instructions for the site, with new secrets; turns green when the test arrives. @param since ms since the epoch */
function renderWaiting(
  view: ListingView,
  { since, secrets, name }: { since: number; secrets: GeneratedSecrets | null; name: string },
): Panel {
  const { listing, text, texts } = view;
  const options = { t: Math.floor((since - earlyMs) / second) };
  const { site } = listing;
  // Then its address was entered before, with the secret.
  const isEntered = secrets !== null && site?.setup.secret === 'theirs';
  return {
    ...panel(
      'wait',
      text('setup.link.title', { name: escapeName(name, 80) }),
      [
        site === null && text('setup.link.copy'),
        site !== null &&
          (isEntered ? text('setup.link.siteTest') : siteSteps(texts, site, text('setup.link.siteTest'))),
        ...addressBlocks(view, secrets),
        secrets?.voteSecret ? subtext(text('setup.link.once')) : null,
        site && subtext(trustText(texts, site)),
        text('setup.link.waiting'),
      ],
      [
        view.button('checkAgain', 'check', options, 'primary'),
        ...(site === null ? [] : openSiteButtons(texts, site)),
        view.button('more', 'more'),
        view.button('later', 'step-channel'),
      ],
    ),
    later: waitForArrival(view, listing.name, since - earlyMs),
  };
}

export function renderTest(view: ListingView): Panel {
  const name = displayName(view, view.listing.name);
  return renderWaiting(view, { since: view.clock.now(), secrets: null, name });
}

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
  const { text } = view;
  return renderChannelStep(
    view,
    text(isTest ? 'setup.link.arrived' : 'setup.link.voteArrived', { time: timestamp(at, 'R') }),
  );
}

const kinds = ['server', 'bot'] as const;
type Kind = (typeof kinds)[number];

export interface SiteChoice {
  readonly site: Site;
  readonly kind: Kind;
  /** The name of the listing to be, if its address was shown already. */
  readonly name: string | undefined;
}

/** Stands for a site that the owner describes. */
function siteToDescribe({ text }: SetupView): Site {
  return createDescribedSite(customSite, { name: text('setup.choices.customSite'), page: null, user: 'user' });
}

function siteStep(view: SetupView): readonly PanelBlock[] {
  const { text } = view;
  const placeholderOf = { server: text('setup.placeholders.serverSite'), bot: text('setup.placeholders.botSite') };
  return kinds.map((kind) => {
    const listing = [...linkableSites.filter((site) => site.kinds.includes(kind)), siteToDescribe(view)];
    return selectBlock({
      kind: 'choices',
      action: 'site',
      placeholder: placeholderOf[kind],
      options: { k: kind },
      choices: listing.map(({ id, name }) => ({ label: name, value: id })),
    });
  });
}

/** Site that a select, a button or a form names; null for a forged one. */
function chosenSite(view: SetupView): SiteChoice | null {
  const { values, options } = view.input;
  const id = values[0] ?? options['w'];
  const kind = kinds.find((each) => each === options['k']);
  const site = id === customSite ? siteToDescribe(view) : findLinkableSite(id);
  if (kind === undefined || !site?.kinds.includes(kind)) return null;
  const name = options['n'];
  const isName = typeof name === 'string' && /^[a-z]+-[\da-f]{10}$/.test(name) && name.startsWith(`${site.id}-`);
  return { site, kind, name: isName ? name : undefined };
}

function choiceOptions({ site, kind, name }: SiteChoice): Readonly<Record<string, OptionValue>> {
  return { w: site.id, k: kind, ...(name !== undefined && { n: name }) };
}

/** How strong the scheme of a site is. Empty for a site of the operator's without any scheme. */
function trustText({ text }: Texts, site: Site): Markup {
  const trust = trustOf(site);
  return escapeName(trust === 'none' ? '' : text(`setup.trust.${trust}`), maxTrustLength);
}

const maxTrustLength = 100;

/** Steps on the site. @param next what follows in Discord */
function siteSteps({ text }: Texts, { name, setup: { secret, event, choice } }: Site, next: Markup): Markup {
  const steps = [
    text('setup.link.siteOpen', { site: bold(escapedName(name)) }),
    secret === 'ours' ? text('setup.link.siteEnter') : text('setup.link.siteEnterAddress'),
    event !== undefined && text('setup.link.siteTick', { event: bold(escapedName(event)) }),
    choice !== undefined && text('setup.link.siteChoose', { choice: bold(escapedName(choice)) }),
    next,
  ];
  return lines(...steps.filter((step) => step !== false).map((step, index) => markup`${index + 1}. ${step}`));
}

function openSiteButtons({ text }: Texts, site: Site): readonly ReplyButton[] {
  return linkButtons(text('setup.link.openSite', { site: site.name }), homePageOf(site));
}

/** The form for what is not known already; null if that is everything. @param draft what was entered before */
function siteForm(
  { texts, input }: SetupView,
  choice: SiteChoice,
  draft: SetupView['input']['fields'] = {},
): Modal | null {
  const { site, kind } = choice;
  const asked: readonly ModalField[] = [
    ...(site.id === customSite ? descriptionFields(texts) : []),
    ...(kind === 'bot'
      ? [textInput(texts, 'botId', { hint: 'botId', required: false, maxLength: 20, value: input.applicationId })]
      : []),
    ...(site.setup.secret === 'theirs' ? [secretField(texts, site)] : []),
  ];
  if (asked.length === 0) return null;
  return modal(site.name, 'site-linked', withDraft(asked, draft), choiceOptions(choice));
}

function descriptionFields(texts: Texts): readonly ModalField[] {
  const maxLength = 80;
  return [
    textInput(texts, 'siteName', { maxLength }),
    textInput(texts, 'header', { hint: 'header', maxLength, value: 'Authorization' }),
    textInput(texts, 'user', { hint: 'user', maxLength, placeholder: 'user.id' }),
    textInput(texts, 'test', { hint: 'test', maxLength, placeholder: 'type=test', required: false }),
  ];
}

/** The site that the manager describes in the form, as the file would state it. It is checked when it is saved. */
function describedIn(view: SetupView): object {
  const entered = (name: string) => textField(view.input, name).trim();
  const [field = '', is = 'true'] = entered('test')
    .split('=', 2)
    .map((part) => part.trim());
  const flag = is === 'true' || is === 'false' ? is === 'true' : is;
  return {
    name: entered('siteName'),
    ...(entered('header') !== '' && { header: entered('header') }),
    user: entered('user'),
    ...(field !== '' && { test: { field, is: flag } }),
  };
}

/** A secret: ours unless the owner enters another one, or the one that the site has made. */
function secretField(texts: Texts, site: Site | null): ModalField {
  const { secret, secretPrefix } = site?.setup ?? { secret: 'ours' };
  if (secret === 'ours') return textInput(texts, 'secret', { hint: 'secret', maxLength: 200, required: false });
  const placeholder = secretPrefix && { placeholder: `${secretPrefix}…` };
  return textInput(texts, 'secret', { hint: 'siteSecret', maxLength: 200, ...placeholder });
}

const families = ['vote', 'premium'] as const satisfies readonly SecretFamily[];

/** A listing with its addresses, and what changes its key and secrets. */
export function renderListing(view: ListingView): Panel {
  const { listing, text, texts } = view;
  const { site } = listing;
  const count = (path: string, secrets: number) =>
    joined([bold(settingName(path, texts)), text('setup.values.stored', { count: secrets })], ': ');
  const isOwn = listing.origin === 'setup';
  const withOld = listing.voteSecrets > 1 ? 'vote' : listing.premiumSecrets > 1 ? 'premium' : null;
  const state = text(listing.hasLookupKey ? 'setup.listing.keyStored' : 'setup.listing.keyMissing');
  return panel(
    'plain',
    escapedName(listingTitle(view, listing)),
    [
      lines(
        site === null ? text('setup.listing.key', { state }) : trustText(texts, site),
        count('voteSecrets', listing.voteSecrets),
        site === null ? count('premiumSecrets', listing.premiumSecrets) : null,
        takesKey(listing) ? count('siteKey', Number(listing.hasSiteKey)) : null,
      ),
      ...addressBlocks(view, null),
      !isOwn && subtext(text('setup.listing.operators')),
      buttonBlock(
        view.button('tests', 'test', {}, 'primary'),
        isOwn && site === null && view.button('newKey', 'key'),
        isOwn && view.button('voteSecret', 'rotate', { y: 'vote' }),
        isOwn &&
          (site === null ? view.button('premiumSecret', 'rotate', { y: 'premium' }) : view.button('more', 'more')),
        isOwn && withOld !== null && view.button('dropSecrets', 'drop', { y: withOld }),
      ),
    ],
    [isOwn && view.button('unlink', 'unlink', {}, 'danger'), view.overviewButton],
  );
}

function addressBlocks(
  { texts, listing: { addresses, premiumSecrets } }: ListingView,
  secrets: GeneratedSecrets | null,
  // Premium events are not received without a secret of their own.
  shown: readonly SecretFamily[] = premiumSecrets === 0 ? ['vote'] : families,
): readonly Block[] {
  const { text } = texts;
  const ofFamily = (family: SecretFamily): Block => {
    const address = addresses[family];
    const secret = secrets?.[`${family}Secret`] ?? null;
    const heading = joined([bold(text(`setup.link.${family}`)), text('setup.link.secret')], ' · ');
    const shownSecret = secret === null ? text('setup.link.stored') : codeBlock(secret);
    return address !== null && lines(addressText(texts, family, address), secrets && heading, secrets && shownSecret);
  };
  return [...shown.map(ofFamily), incompleteNote(texts, addresses.vote)];
}

function addressText({ text }: Texts, family: SecretFamily, address: string): Markup {
  return lines(joined([bold(text(`setup.link.${family}`)), text('setup.link.address')], ' · '), codeBlock(address));
}

function incompleteNote({ text }: Texts, address: string): Block {
  return !address.startsWith('http') && subtext(text('setup.link.noPublicAddress'));
}

export function rotateForm({ text, texts, listing, listingOptions }: ListingView, family: SecretFamily): Modal {
  const fields = [secretField(texts, listing.site)];
  return modal(text(`setup.forms.${family}Secret`), 'rotated', fields, { ...listingOptions, y: family });
}

export function renderRotated(view: ListingView, family: SecretFamily, secrets: GeneratedSecrets): Panel {
  const { text } = view;
  return panel(
    'good',
    text('setup.listing.rotateTitle'),
    [...addressBlocks(view, secrets, [family]), lines(text('setup.listing.rotated'), subtext(text('setup.link.once')))],
    [view.button('dropSecrets', 'drop', { y: family }), view.sectionButton('listing')],
  );
}

export function renderUnlink(view: ListingView): Panel {
  const { text } = view;
  return panel(
    'bad',
    text('setup.listing.unlinkTitle', { name: escapedName(displayName(view, view.listing.name)) }),
    [text('setup.listing.unlink')],
    [
      view.button('confirmUnlink', 'unlinked', {}, 'danger'),
      view.sectionButton('listing', text('setup.buttons.cancel')),
    ],
  );
}

/** The form with what linking does not need: own secrets, or what the site's API and vote page need. */
export function detailsForm(view: ListingView): Modal {
  const { listing, texts } = view;
  const { site, kind } = listing;
  const required = false;
  const secret = textInput(texts, 'voteSecret', { name: 'secret', required, maxLength: 200 });
  const premium = textInput(texts, 'premiumSecret', { required, maxLength: 200 });
  const siteKey = textInput(texts, 'siteKey', { hint: 'siteKey', required, maxLength: 1_000 });
  const slug = textInput(texts, 'slug', { hint: 'slug', required, maxLength: 100 });
  const fields =
    site === null
      ? [secret, premium]
      : [secret, ...(takesKey(listing) ? [siteKey] : []), ...(needsSlug(site, kind) ? [slug] : [])];
  return modal(view.text('setup.buttons.more'), 'more-saved', fields, view.listingOptions);
}

/** True if the site of a listing says who has voted to those who have a token of it. */
function takesKey({ site, kind }: Pick<ListingSettings, 'site' | 'kind'>): boolean {
  return site !== null && missingFor({ site: site.id, kind, id: '', key: null }) === 'key';
}

function needsSlug(site: Site, kind: ListingSettings['kind']): boolean {
  const hasPage = (slug: string | null) => site.votePage({ kind, id: '1', slug }) !== null;
  return hasPage('name') && !hasPage(null);
}

/** In a new message, because the secret in the first one is shown only there. */
export async function saveDetails(view: ListingView): Promise<Panel> {
  const { input, listing, services } = view;
  const entered = (name: string) => textField(input, name) || null;
  const saving = services.settings.describe({
    ...view.author,
    listing: listing.name,
    details: {
      voteSecret: entered('secret'),
      premiumSecret: entered('premiumSecret'),
      siteKey: entered('siteKey'),
      slug: entered('slug'),
    },
  });
  return { ...(await showSaved(view, saving, { section: 'listing' })), response: 'new' };
}

/** The second step: the channel for announcements. @param before what was done before, or what is wrong */
export function renderChannelStep(view: SetupView, before: Markup | null, isProblem = false): Panel {
  const { text } = view;
  const present = view.value('announceChannelId');
  return panel(
    isProblem ? 'bad' : 'good',
    text('setup.steps.channelTitle'),
    [
      lines(before, text('setup.steps.channel')),
      selectBlock({
        kind: 'channels',
        action: 'channel',
        placeholder: text('setup.placeholders.channel'),
        options: view.listingOptions,
        selected: typeof present === 'string' ? [present] : [],
      }),
    ],
    [view.button(present === null ? 'later' : 'next', 'step-rewards')],
  );
}

export async function chooseChannel(view: ListingView): Promise<Panel> {
  const [channelId] = view.input.values;
  const failed = await saveStep(view, [['announceChannelId', channelId]]);
  if (failed === null) return renderRewardsStep(view);
  return refusing(renderChannelStep(view, renderProblems(failed), true), failed);
}

/** The last step: presets, or numbers of one's own. */
export function renderRewardsStep(view: SetupView): Panel {
  const { text } = view;
  return panel(
    'plain',
    text('setup.steps.rewardsTitle'),
    [
      lines(...presets.map(({ id }) => text(`setup.presets.${id}`)), text('setup.presets.ownNumbers')),
      buttonBlock(...presets.map(({ id: p }) => view.button(p, 'preset', { p }, 'primary'))),
    ],
    [view.button('ownNumbers', 'edit', view.editOptions(credits)), view.button('later', 'overview')],
  );
}

export async function choosePreset(view: ListingView): Promise<Panel> {
  const failed = await saveStep(view, valuesOfPreset(view.input.options['p']));
  if (failed !== null) return renderUnsaved(view, failed);
  return renderReady(await view.refreshed());
}

async function renderReady(view: SetupView): Promise<Panel> {
  const { services, listing, text } = view;
  const url = listing === null ? null : await services.checks.votePage(listing.name);
  return panel(
    'good',
    text('setup.steps.doneTitle'),
    [text('setup.steps.done')],
    [
      ...linkButtons(text('setup.buttons.voteNow'), url),
      ...setupSections.flatMap(({ step }) => step?.(view).button ?? []),
      votePanelButton(view),
      view.overviewButton,
    ],
  );
}

/** Null if it was saved; otherwise what is wrong. */
async function saveStep(
  view: ListingView,
  entries: readonly (readonly [path: SettingPath, value: unknown])[],
): Promise<readonly Problem[] | null> {
  const problems = await findProblemsOf(view, entries);
  if (problems.length > 0) return problems;
  const changes = view.changes(entries);
  const result = await view.services.settings.save({ ...view.author, basis: null, changes });
  if (result.status === 'invalid') return problemsOf(view, result.issues);
  return result.status === 'conflict' ? [{ text: view.text('setup.problems.conflict'), hint: null }] : null;
}
