import type { Markup } from '@tallyhook/platform/texts/markup';
import { type CommandInput, textField } from '../src/discord/commands/input.ts';
import type { Modal, Panel } from '../src/discord/commands/reply.ts';
import { setupSections } from '../src/features/setup-sections.ts';
import type { Command, CommandContext } from './context.ts';
import { openForm, reopenForm, submitForm } from './setup/edit.ts';
import { chooseChannel, choosePreset, renderChannelStep, renderRewardsStep } from './setup/first-steps.ts';
import { editOf, sectionOf } from './setup/forms.ts';
import { exportSettings, importForm, importSettings } from './setup/import.ts';
import {
  checkTest,
  confirmHeld,
  keyForm,
  keyProblem,
  linkForm,
  linkListing,
  openSite,
  openSiteForm,
  renderLinkStep,
  renderTest,
  submitSite,
} from './setup/link.ts';
import {
  detailsForm,
  renderListing,
  renderRotated,
  renderUnlink,
  rotateForm,
  saveDetails,
} from './setup/listing-section.ts';
import { renderOverview, renderWelcome } from './setup/overview.ts';
import { findObjectProblems } from './setup/problems.ts';
import { panel, renderHistory, renderSaved, renderUndone, renderUnsaved, showSaved } from './setup/results.ts';
import { type Answer, newEntry, pathsOf, renderSection } from './setup/section.ts';
import {
  authorOf,
  button,
  type Edit,
  effectiveValue,
  hasListing,
  type ListingView,
  namesListing,
  openView,
  refreshed,
  type SetupView,
  toChanges,
} from './setup/view.ts';
import { postVotePanel, renderPanelChoice } from './setup/vote-panel.ts';

type Handler<View = SetupView> = (view: View) => Answer;

/** Those that need a listing of this guild. */
const ofListing = new Map([
  ...Object.entries<Handler<ListingView>>({
    edit: ofForm((view, edit) => openForm(view, edit)),
    again: ofForm((view, edit) => reopenForm(view, edit) ?? failed(view, view.texts.text('setup.problems.gone'))),
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
    'post-panel': (view) => (hasListing(view) ? renderPanelChoice(view) : renderWelcome(view)),
    'panel-channel': (view) => (hasListing(view) ? postVotePanel(view) : renderWelcome(view)),
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

/** The command, or the same as a page of the console. */
export async function runSetup(
  input: CommandInput,
  context: Pick<CommandContext, 'clock' | 'texts' | 'setup' | 'standings'>,
): Promise<Awaited<Answer>> {
  const { text } = context.texts;
  if (input.guildId === null || !input.isManager) {
    return { tone: 'bad', title: text('failure.title'), text: text('failure.managersOnly') };
  }
  const { setup: services } = context;
  if (services === null) return { tone: 'bad', title: text('failure.title'), text: text('failure.unknownCommand') };
  const view = await openView(input, { ...context, services }, input.guildId);
  const action = input.action ?? 'overview';
  const handle = ofListing.get(action);
  if (handle === undefined) return (ofGuild.get(action) ?? renderOverview)(view);
  return namesListing(view) ? handle(view) : failed(view, view.texts.text('setup.problems.unknownListing'));
}

function failed({ texts }: SetupView, problem: Markup): Panel {
  return panel('bad', problem, [], [button(texts.text('setup.buttons.overview'), 'overview')]);
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
  return section === null ? renderOverview(view) : renderSection(view, section);
}

/** What the operator's file or environment says is in effect again. */
async function reset(view: ListingView): Promise<Panel> {
  const section = sectionOf(view.input.options['s']);
  if (section === null) return renderOverview(view);
  const stored = pathsOf(section).filter((path) => effectiveValue(view, path).source === 'setup');
  const changes = toChanges(
    view,
    stored.map((path) => [path, undefined]),
  );
  return showSaved(view, view.services.settings.save({ ...authorOf(view), basis: null, changes }), {
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

/** Without the address of the service, the other sites in place of its form. */
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
  if (problems.length > 0) return renderUnsaved(view, { problems });
  const result = await settings.undo({ ...authorOf(view), changeId });
  return renderUndone(await refreshed(view), result);
}

async function replaceKey(view: ListingView): Promise<Panel> {
  const { listing, input, services, guildId } = view;
  const lookupKey = textField(input, 'lookupKey');
  const check = await services.checks.checkKey(guildId, listing.kind, lookupKey);
  if (check.status !== 'valid') return renderUnsaved(view, { problems: [keyProblem(view, check)] });
  const { targetId } = check;
  const key = { ...authorOf(view), listing: listing.name, lookupKey, targetId };
  return showSaved(view, services.settings.replaceKey(key), { section: 'listing' });
}

function familyOf({ options }: CommandInput): 'vote' | 'premium' {
  return options['y'] === 'premium' ? 'premium' : 'vote';
}

async function rotateSecret(view: ListingView): Promise<Panel> {
  const { listing, input, services } = view;
  const family = familyOf(input);
  const secret = textField(input, 'secret') || null;
  const result = await services.settings.rotateSecret({ ...authorOf(view), listing: listing.name, family, secret });
  const current = await refreshed(view);
  return result.status === 'saved' && namesListing(current)
    ? renderRotated(current, family, result.secrets)
    : renderSaved(current, result, { section: 'listing' });
}

function dropOldSecrets(view: ListingView): Promise<Panel> {
  const { listing, input, services } = view;
  const dropped = { ...authorOf(view), listing: listing.name, family: familyOf(input) };
  return showSaved(view, services.settings.dropOldSecrets(dropped), { section: 'listing' });
}

function unlinkListing(view: ListingView): Promise<Panel> {
  const { listing, services } = view;
  return showSaved(view, services.settings.unlink({ ...authorOf(view), listing: listing.name }), { section: null });
}
