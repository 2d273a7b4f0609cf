import { isEqual } from '@tallyhook/platform/json';
import { bold, joined, lines, type Markup, markup, subtext } from '@tallyhook/platform/texts/markup';
import { isOff } from '../src/core/settings/setting-spec.ts';
import { type CommandInput, errorReply, textField } from '../src/discord/commands/command.ts';
import type { Modal, Panel, PanelBlock, Reply } from '../src/discord/commands/reply.ts';
import type { ListingSettings } from '../src/features/settings/community.ts';
import type { SettingChange } from '../src/features/settings/stored.ts';
import { announcementSettings, parseSetting, readAnnouncements, type SettingPath } from '../src/features/settings.ts';
import type { SimulatedCredits } from '../src/features/simulation/feature.ts';
import type { Command, CommandContext } from './context.ts';
import { type FormValues, fileField, textInput, withDraft } from './setup/form.ts';
import {
  checkTest,
  chooseChannel,
  choosePreset,
  confirmHeld,
  detailsForm,
  heldBlocks,
  keyForm,
  keyProblem,
  linkForm,
  linkListing,
  linkPanel,
  openSite,
  openSiteForm,
  renderChannelStep,
  renderLinkStep,
  renderListing,
  renderRewardsStep,
  renderRotated,
  renderTest,
  renderUnlink,
  rotateForm,
  saveDetails,
  submitSite,
} from './setup/listings.ts';
import { profileForm, renderProfile, saveProfile } from './setup/profile.ts';
import {
  type Answer,
  editOf,
  newEntry,
  pathsOf,
  postVotePanel,
  renderPanelChoice,
  renderSection,
  type SetupSection,
  type SetupStep,
  sectionOf,
  setupSections,
  votePanelButton,
} from './setup/sections.ts';
import { createToken, renderToken, renderTokens, revokeToken, tokenForm } from './setup/tokens.ts';
import {
  type Block,
  button,
  buttonBlock,
  describeValue,
  displayName,
  type Edit,
  escapedName,
  findObjectProblems,
  findProblemsOf,
  type ListingView,
  linkButtons,
  listingTitle,
  modal,
  openView,
  type Problem,
  panel,
  problemOf,
  problemsOf,
  renderHistory,
  renderSaved,
  renderUndone,
  renderUnsaved,
  type SectionId,
  type SetupView,
  selectBlock,
  showSaved,
  withUploads,
} from './setup/view.ts';

type Handler<View = SetupView> = (view: View) => Answer;

const ofListing = new Map([
  ...Object.entries<Handler<ListingView>>({
    edit: ofForm((view, edit) => openForm(view, edit)),
    again: ofForm((view, edit) => reopenForm(view, edit) ?? failed(view, view.text('setup.problems.gone'))),
    entry: ofForm(openEntry),
    submit: ofForm(submitForm),
    section: openSection,
    reset,
    test: renderTest,
    more: detailsForm,
    'more-saved': saveDetails,
    check: checkTest,
    channel: chooseChannel,
    preset: choosePreset,
    'step-channel': (view) => renderChannelStep(view, null),
    'step-rewards': renderRewardsStep,
    key: keyForm,
    'key-saved': replaceKey,
    rotate: (view) => rotateForm(view, familyOf(view.input)),
    rotated: rotateSecret,
    drop: dropOldSecrets,
    unlink: renderUnlink,
    unlinked: unlinkListing,
  }),
  ...setupSections.flatMap(({ actions = {} }) => Object.entries(actions)),
]);

const ofGuild = new Map<string, Handler>(
  Object.entries({
    overview: renderOverview,
    listing: renderOverview,
    add: ifLinkable(renderLinkStep),
    link: ifLinkable(ifService(linkForm)),
    linked: ifLinkable(ifService(linkListing)),
    site: ifLinkable(openSite),
    held: ifLinkable(confirmHeld),
    'site-form': ifLinkable(openSiteForm),
    'site-linked': ifLinkable(submitSite),
    history: renderHistory,
    undo,
    export: exportSettings,
    import: importForm,
    imported: importSettings,
    profile: ifListed(renderProfile),
    'profile-form': ifListed(profileForm),
    'profile-saved': ifListed(saveProfile),
    tokens: ifListed(renderTokens),
    token: ifListed(renderToken),
    'new-token': ifListed(tokenForm),
    'token-created': ifListed(createToken),
    'token-revoked': ifListed(revokeToken),
    'post-panel': ifListed((view) => renderPanelChoice(view)),
    'panel-channel': ifListed(postVotePanel),
  }),
);

/** The settings of a guild, for those who manage it. Every component reads them again. */
export const setup = {
  name: 'setup',
  visibility: 'private',
  actions: [...ofGuild.keys(), ...ofListing.keys()],
  defaultMemberPermissions: 'ManageGuild',
  leadsToDirectMessages: true,
  worksWithoutListing: true,
  describe: ({ texts }) => ({ description: texts.text('setup.description'), options: [] }),
  execute: runSetup,
} as const satisfies Command;

export async function runSetup(
  input: CommandInput,
  context: Pick<CommandContext, 'clock' | 'texts' | 'setup' | 'standings'>,
): Promise<Awaited<Answer>> {
  const { text } = context.texts;
  if (input.guildId === null || !input.isManager) {
    return errorReply(text('failure.managersOnly'), context.texts);
  }
  const { setup: services } = context;
  if (services === null) return errorReply(text('failure.unknownCommand'), context.texts);
  const view = await openView(input, { ...context, services }, input.guildId);
  const action = input.action ?? 'overview';
  const handle = ofListing.get(action);
  if (handle === undefined) return (ofGuild.get(action) ?? renderOverview)(view);
  return view.namesListing() ? handle(view) : failed(view, view.text('setup.problems.unknownListing'));
}

function failed(view: SetupView, problem: Markup): Panel {
  return panel('bad', problem, [], [view.overviewButton]);
}

/** The overview if a component names no form. */
function ofForm(handle: (view: ListingView, edit: Edit) => Answer): Handler<ListingView> {
  return (view) => {
    const edit = editOf(view.input);
    return edit === null ? renderOverview(view) : handle(view, edit);
  };
}

function openEntry(view: ListingView, edit: Edit): Modal {
  const position = Number(view.input.values[0] ?? newEntry);
  return openForm(view, { ...edit, entry: Number.isInteger(position) ? position : null });
}

function openSection(view: ListingView): Answer {
  const id = view.input.options['s'];
  if (id === 'listing') return renderListing(view);
  const section = sectionOf(id);
  return section === null ? renderOverview(view) : (section.render?.(view) ?? renderSection(view, section));
}

/** Takes back what was stored, so that the operator's file or environment is in effect again. */
async function reset(view: ListingView): Promise<Panel> {
  const section = sectionOf(view.input.options['s']);
  if (section === null) return renderOverview(view);
  const stored = pathsOf(section).filter((path) => view.effective(path).source === 'setup');
  const changes = view.changes(stored.map((path) => [path, undefined]));
  return showSaved(view, view.services.settings.save({ ...view.author, basis: null, changes }), {
    section: section.id,
  });
}

/** Listings can be linked if their secrets can be stored, and nobody can take over those of the operator. */
function ifLinkable(handler: Handler): Handler {
  return (view) => {
    const { services, community } = view;
    const mayLink = community.canStoreSecrets && services.checks.unassignedListings().length === 0;
    return mayLink ? handler(view) : renderWelcome(view);
  };
}

/** Where a listing has made a community. */
function ifListed(handler: Handler): Handler {
  return (view) => (view.hasListing() ? handler(view) : renderWelcome(view));
}

/**
 * Runs the handler, or shows the other sites in place of its form where the address of the service is not configured.
 */
function ifService(handler: Handler): Handler {
  return (view) => (view.services.checks.hasService ? handler(view) : renderLinkStep(view));
}

async function undo(view: SetupView): Promise<Panel> {
  const changeId = Number(view.input.options['id']);
  if (!Number.isSafeInteger(changeId)) return renderOverview(view);
  const { settings } = view.services;
  const [change] = await settings.changes(view.guildId, { before: changeId + 1, limit: 1 });
  const restored = change?.id === changeId ? change.changes : [];
  const problems = await findObjectProblems(
    view,
    restored.map(({ path, before, after }) => ({ path, before: after, after: before })),
  );
  if (problems.length > 0) return renderUnsaved(view, problems);
  const result = await settings.undo({ ...view.author, changeId });
  return renderUndone(await view.refreshed(), result);
}

async function replaceKey(view: ListingView): Promise<Panel> {
  const { listing, input, services, guildId } = view;
  const lookupKey = textField(input, 'lookupKey');
  const check = await services.checks.checkKey(guildId, listing.kind, lookupKey);
  if (check.status !== 'valid') return renderUnsaved(view, [keyProblem(view, check)]);
  const { targetId } = check;
  const key = { ...view.author, listing: listing.name, lookupKey, targetId };
  return showSaved(view, services.settings.replaceKey(key), { section: 'listing' });
}

function familyOf({ options }: CommandInput): 'vote' | 'premium' {
  return options['y'] === 'premium' ? 'premium' : 'vote';
}

async function rotateSecret(view: ListingView): Promise<Panel> {
  const { listing, input, services } = view;
  const family = familyOf(input);
  const secret = textField(input, 'secret') || null;
  const result = await services.settings.rotateSecret({ ...view.author, listing: listing.name, family, secret });
  const current = await view.refreshed();
  return result.status === 'saved' && current.namesListing()
    ? renderRotated(current, family, result.secrets)
    : renderSaved(current, result, { section: 'listing' });
}

function dropOldSecrets(view: ListingView): Promise<Panel> {
  const { listing, input, services } = view;
  const dropped = { ...view.author, listing: listing.name, family: familyOf(input) };
  return showSaved(view, services.settings.dropOldSecrets(dropped), { section: 'listing' });
}

function unlinkListing(view: ListingView): Promise<Panel> {
  const { listing, services } = view;
  return showSaved(view, services.settings.unlink({ ...view.author, listing: listing.name }), { section: null });
}

async function renderOverview(view: SetupView): Promise<Panel> {
  if (!view.hasListing()) return renderWelcome(view);
  const { community } = view;
  const { text } = view;
  return panel(
    'plain',
    text('setup.main.title'),
    [
      text('setup.main.intro'),
      ...(await heldBlocks(view)),
      ...(await renderChecklist(view)),
      ...listingSelect(view),
      summaryOf(view),
      // Rows of buttons below one text: a section with its button beside it counts as three of 40 components.
      buttonBlock(
        view.sectionButton('listing'),
        ...setupSections.map(({ id }) => view.sectionButton(id)),
        view.button('profile', 'profile'),
        view.button('tokens', 'tokens'),
      ),
      ...community.issues
        .slice(0, 2)
        .map((issue) => subtext(text('setup.main.notStored', { problem: problemOf(issue, view).text }))),
    ],
    [
      view.button('history', 'history'),
      view.button('export', 'export'),
      view.button('import', 'import'),
      view.button('link', 'add'),
      ...linkButtons(text('setup.buttons.openWeb'), view.services.webPage(view.guildId)),
    ],
  );
}

/** The name of the listing, a line for each section with a setting, and the names of all sections without one. */
function summaryOf(view: ListingView): Markup {
  const { text, list } = view.texts;
  const nameOf = (id: SectionId) => escapedName(text(`setup.sections.${id}`));
  const sections = setupSections
    .filter(({ summary }) => summary.length > 0)
    .map(({ id, summary }) => ({ name: nameOf(id), values: valuesAt(view, summary) }));
  const unset = sections.filter(({ values }) => values.length === 0).map(({ name }) => name);
  return lines(
    joined([bold(nameOf('listing')), escapedName(listingTitle(view, view.listing))], ': '),
    ...sections.map(({ name, values }) =>
      values.length === 0 ? null : joined([bold(name), joined(values, ' · ')], ': '),
    ),
    unset.length === 0 ? null : subtext(text('setup.values.off', { names: list(unset) })),
  );
}

function valuesAt(view: ListingView, paths: SetupSection['summary']): readonly Markup[] {
  const { texts } = view;
  const values = paths.map((path) => describeValue(path, view.value(path), texts));
  return values.filter((value) => value !== texts.text('setup.values.none'));
}

function listingSelect(view: ListingView): PanelBlock[] {
  const { community, listing, texts } = view;
  if (community.listings.length < 2) return [];
  const choices = community.listings.map((each) => ({
    label: listingTitle(view, each),
    value: each.name,
    selected: each.name === listing.name,
  }));
  return [
    selectBlock({ kind: 'choices', action: 'listing', placeholder: texts.text('setup.placeholders.listing'), choices }),
  ];
}

async function renderWelcome(view: SetupView): Promise<Panel> {
  const { text, texts, services, community } = view;
  const unassigned = services.checks.unassignedListings();
  if (unassigned.length > 0) {
    const names = texts.list(unassigned.slice(0, 5).map(escapedName));
    return panel('wait', text('setup.welcome.title'), [text('setup.welcome.unassigned', { names })]);
  }
  if (!community.canStoreSecrets)
    return panel('wait', text('setup.welcome.title'), [text('setup.welcome.needsOperator')]);
  const history = community.latestChange === null ? null : view.button('history', 'history');
  return linkPanel(view, text('setup.welcome.title'), history);
}

async function renderChecklist(view: ListingView): Promise<readonly Block[]> {
  const items = await checklist(view);
  const left = items.filter(({ isDone }) => !isDone);
  if (left.length === 0) return [];
  const line = ({ name, isDone }: SetupStep): Markup =>
    joined([isDone ? markup`✅` : markup`⬜`, escapedName(name)], ' ');
  const title = bold(view.text('setup.main.done', { done: items.length - left.length, total: items.length }));
  return [lines(title, ...items.map(line)), buttonBlock(...left.flatMap((each) => each.button ?? []))];
}

async function checklist(view: ListingView): Promise<readonly SetupStep[]> {
  const { text } = view;
  return [
    { name: text('setup.sections.listing'), isDone: true, button: null },
    {
      name: text('setup.buttons.tests'),
      isDone: await isReceiving(view),
      button: view.button('tests', 'test'),
    },
    {
      name: text('setup.fields.announceChannel'),
      isDone: view.value('announceChannelId') !== null,
      button: button(text('setup.placeholders.channel'), 'step-channel', view.listingOptions),
    },
    ...setupSections.flatMap(({ step }) => step?.(view) ?? []),
    {
      name: text('setup.buttons.votePanel'),
      isDone: await view.services.hasVotePanel(view.guildId),
      button: votePanelButton(view),
    },
  ];
}

/** A listing from which nothing has arrived lately receives votes if the only listing of a community has voters. */
async function isReceiving(view: ListingView): Promise<boolean> {
  const { services, guildId, community, listing, standings, clock } = view;
  if ((await services.settings.arrivedSince(guildId, listing.name, 0)) !== null) return true;
  if (community.listings.length > 1) return false;
  const voters = { period: 'all', by: 'votes', limit: 1, offset: 0, userId: null } as const;
  return (await standings.leaderboard(voters, clock.now())).total > 0;
}

function importForm(view: SetupView): Modal {
  const { text, texts } = view;
  const settings = textInput(texts, 'settings', { hint: 'settings', multiline: true, required: false });
  return modal(
    text('setup.forms.import'),
    'imported',
    [fileField('settingsFile', texts), settings],
    view.listingOptions,
  );
}

async function importSettings(view: SetupView): Promise<Panel> {
  const input = await withUploads(view);
  if ('hint' in input) return renderUnsaved(view, [input]);
  const { settings } = view.services;
  const imported = await settings.readExport(view.guildId, textField(input, 'settings'));
  if ('issues' in imported) return renderUnsaved(view, problemsOf(view, imported.issues));
  const { changes } = imported;
  const objectProblems = await findObjectProblems(
    view,
    changes.map(({ listing, path, value }) => ({
      path,
      before: view.of(listingOf(view, listing)).value(path),
      after: value,
    })),
  );
  if (objectProblems.length > 0) return renderUnsaved(view, objectProblems);
  const { problems, targetIds } = await checkImportedKeys(view, changes);
  if (problems.length > 0) return renderUnsaved(view, problems);
  return showSaved(view, settings.saveChanges(view.author, changes, { basis: null, targetIds }), { section: null });
}

function listingOf({ community }: SetupView, wanted: string): ListingSettings | null {
  return community.listings.find(({ name }) => name === wanted) ?? null;
}

/** Checks imported API keys as a form does: with the key of another listing, its votes would count here. */
async function checkImportedKeys(view: SetupView, changes: readonly SettingChange[]) {
  const problems: Problem[] = [];
  /** Discord ids of the servers and bots that the keys belong to, by the name of the listing. */
  const targetIds = new Map<string, string>();
  for (const { listing: name, path, value } of changes) {
    const listing = listingOf(view, name);
    if (path !== 'lookupKey' || typeof value !== 'string' || listing === null) continue;
    const { kind, targetId } = listing;
    const check = await view.services.checks.checkKey(view.guildId, kind, value);
    if (check.status !== 'valid') problems.push(keyProblem(view, check));
    else if (check.targetId !== null && targetId !== null && check.targetId !== targetId) {
      problems.push(problemOf({ listing: name, path, code: 'other_listing', problem: '', hint: '' }, view));
    } else if (check.targetId !== null) targetIds.set(name, check.targetId);
  }
  return { problems, targetIds };
}

async function exportSettings({ services, guildId, text }: SetupView): Promise<Reply> {
  const content = new TextEncoder().encode(await services.settings.export(guildId));
  return {
    tone: 'plain',
    title: text('setup.main.title'),
    footer: text('setup.files.exported'),
    files: [{ name: 'tallyhook-settings.json', content, description: text('setup.buttons.export') }],
    response: 'new',
  };
}

function openForm(view: SetupView, edit: Edit, draft: CommandInput['fields'] | null = null): Modal {
  const { form } = edit;
  const fields = form.fields(view.formContext(edit));
  return modal(view.text(`setup.forms.${form.name}`), 'submit', draft === null ? fields : withDraft(fields, draft), {
    ...view.editOptions(form, edit),
    v: view.community.version,
  });
}

/** The form again, with what was entered before. Null if that is no longer stored. */
function reopenForm(view: SetupView, edit: Edit): Modal | null {
  const draft = view.services.drafts.find(draftKey(view, edit));
  return draft === null ? null : openForm(view, edit, draft);
}

async function submitForm(view: SetupView, edit: Edit): Promise<Panel> {
  const input = await withUploads(view);
  if ('hint' in input) {
    keepDraft(view, edit);
    return renderUnsaved(view, [input], edit);
  }
  const { form, section } = edit;
  const contextOfForm = view.formContext(edit);
  const changes = changesOf(view, form.read(input, contextOfForm));
  const problems = await findProblemsOf(view, changes);
  if (problems.length > 0) {
    keepDraft(view, edit);
    return renderUnsaved(view, problems, edit);
  }
  const result = await view.save(changes);
  if (result.status === 'invalid' || result.status === 'conflict') keepDraft(view, edit);
  return renderSaved(await view.refreshed(), result, { section, edit });
}

/** The values that differ from what is in effect, so that a form that was not touched changes nothing. */
function changesOf(view: SetupView, values: FormValues): [path: SettingPath, value: unknown][] {
  return (Object.entries(values) as [SettingPath, unknown][]).filter(([path, value]) => {
    const current = view.effective(path);
    if (value === undefined) return current.source === 'setup';
    return !isEqual(value, current.value) && !(isOff(value) && isOff(current.value));
  });
}

/** Credits that an unsaved form would have paid; null if its values are not valid, or would pay as now. */
async function simulateDraft(view: SetupView, edit: Edit): Promise<SimulatedCredits | null> {
  const { input, guildId, services } = view;
  const values = edit.form.read(input, view.formContext(edit));
  const changes = view.changes(changesOf(view, values));
  const after = changes.map(({ listing, ...change }) => ({ ...change, listing: listing ?? '' }));
  const isValid = after.every(
    ({ listing, path, value }) => value === undefined || parseSetting(listing, path, value).valid,
  );
  return isValid ? services.simulateChange(guildId, { after }) : null;
}

function keepDraft(view: SetupView, edit: Edit): void {
  const secrets = edit.form.secretFields ?? [];
  const kept = Object.entries(view.input.fields).filter(([name]) => !secrets.includes(name));
  view.services.drafts.put(draftKey(view, edit), Object.fromEntries(kept));
}

function draftKey(view: SetupView, { form, entry, variant }: Edit): string {
  return view.draftKey(view.listing?.name, form.name, entry, variant);
}

/** True if {@link readDraft} knows what the forms of a section would do. */
export function hasDraft(section: string): boolean {
  return section === 'announcements' || section === 'rewards';
}

/**
 * The effect of an unsaved form: the listing with other announcements, or the credits that members would have been paid,
 * null if they are not known, or the same. Null for other forms, or an unknown listing. Rejects with the errors of the
 * store.
 */
export async function readDraft(view: SetupView) {
  const edit = editOf(view.input);
  if (edit === null || !view.namesListing()) return null;
  if (edit.section === 'rewards') return { paid: await simulateDraft(view, edit) };
  return edit.section === 'announcements' ? { listing: draftListing(view, edit) } : null;
}

function draftListing(view: ListingView, edit: Edit) {
  const { name, kind, inEffect } = view.listing;
  const entered = edit.form.read(view.input, view.formContext());
  const stated = announcementSettings.map(({ path, schema }) => {
    // A value that is not valid yet changes nothing.
    const valid = [entered[path], view.value(path)].find((each) => each === null || schema.safeParse(each).success);
    return [path.slice('announcements.'.length), schema.safeParse(valid).data] as const;
  });
  const { rewards, timeZone } = inEffect;
  const announcements = readAnnouncements(Object.fromEntries(stated));
  // The name on the service is external text.
  return { name, kind, rewards, timeZone, title: displayName(view, name), announcements };
}
