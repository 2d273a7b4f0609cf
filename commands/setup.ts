import { type CommandInput, textField } from '../src/discord/commands/input.ts';
import type { Modal, Panel, Reply } from '../src/discord/commands/reply.ts';
import { isCommunityPath } from '../src/features/settings.ts';
import { listOf, textOf } from '../src/platform/json.ts';
import type { Command, CommandContext } from './context.ts';
import { detailsForm, saveDetails } from './setup/details.ts';
import { openForm, reopenForm, submitForm } from './setup/edit.ts';
import { chooseChannel, choosePreset, renderChannelStep, renderRewardsStep } from './setup/first-steps.ts';
import { editOf } from './setup/forms.ts';
import { exportSettings, renderHistory } from './setup/history.ts';
import { importForm, importSettings } from './setup/import.ts';
import {
  checkTest,
  keyForm,
  keyProblem,
  linkForm,
  linkListing,
  openSite,
  renderLinkStep,
  renderTest,
  submitSite,
} from './setup/link.ts';
import { renderRotated, renderUnlink, rotateForm } from './setup/listing-section.ts';
import { renderOverview, renderWelcome } from './setup/overview.ts';
import { findRoleProblems } from './setup/problems.ts';
import { panel, renderSaved, renderUndone, renderUnsaved } from './setup/results.ts';
import { newEntry, renderSection, sectionOf, sectionPaths } from './setup/section.ts';
import { renderItem } from './setup/shop-section.ts';
import {
  authorOf,
  button,
  effectiveValue,
  escapedName,
  listingOptions,
  namesListing,
  openView,
  refreshed,
  type SetupView,
  textBlock,
} from './setup/view.ts';
import { postVotePanel, renderPanelChoice } from './setup/vote-panel.ts';

type Result = Reply | Panel | Modal;
type Answer = Promise<Result> | Result;
type Handler = (view: SetupView) => Answer;

/** Those that need a listing of this guild. */
const ofListing: Readonly<Record<string, Handler>> = {
  edit: openEdit,
  again: editAgain,
  entry: openEntry,
  submit: submit,
  section: (view) => renderSection(view, sectionOf(view.input.options['s']) ?? 'listing'),
  reset,
  item: (view) => renderItem(view, Number(view.input.values[0])),
  remove: confirmRemoval,
  removed: removeItem,
  test: (view) => (view.listing === null ? renderOverview(view) : renderTest(view, view.listing)),
  more: (view) => (view.listing === null ? renderOverview(view) : detailsForm(view, view.listing)),
  'more-saved': (view) => (view.listing === null ? renderOverview(view) : saveDetails(view, view.listing)),
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
};

const ofGuild: Readonly<Record<string, Handler>> = {
  overview: renderOverview,
  listing: renderOverview,
  add: ifLinkable(renderLinkStep),
  link: ifLinkable(linkForm),
  linked: ifLinkable(linkListing),
  site: ifLinkable(openSite),
  'site-linked': ifLinkable(submitSite),
  history: renderHistory,
  undo,
  export: exportSettings,
  import: importForm,
  imported: importSettings,
  'post-panel': (view) => (view.listing === null ? renderWelcome(view) : renderPanelChoice(view)),
  'panel-channel': (view) => (view.listing === null ? renderWelcome(view) : postVotePanel(view)),
};

const handlers: Readonly<Record<string, Handler>> = { ...ofGuild, ...ofListing };

/** The settings of a guild, for those who manage it. Every component reads them again. */
export const setup = {
  name: 'setup',
  visibility: 'private',
  hasPages: false,
  actions: [...Object.keys(ofGuild), ...Object.keys(ofListing)],
  defaultMemberPermissions: 'ManageGuild',
  leadsToDirectMessages: true,
  worksWithoutListing: true,
  isServedBy: () => true,
  describe: ({ texts }) => ({ description: texts.setup.description, options: [] }),
  execute: runSetup,
} as const satisfies Command;

/** The command, or the same as a page of the console. */
export async function runSetup(
  input: CommandInput,
  context: Pick<CommandContext, 'clock' | 'texts' | 'setup' | 'standings'>,
): Promise<Result> {
  const { failure } = context.texts;
  if (input.guildId === null || !input.isManager) {
    return { tone: 'bad', title: failure.title, text: failure.managersOnly };
  }
  const { setup: services } = context;
  if (services === null) return { tone: 'bad', title: failure.title, text: failure.unknownCommand };
  const view = await openView(input, { ...context, services }, input.guildId);
  if (input.action === null) return renderOverview(view);
  if (Object.hasOwn(ofListing, input.action) && !namesListing(view)) return unknownListing(view);
  const handler = Object.hasOwn(handlers, input.action) ? handlers[input.action] : undefined;
  return handler === undefined ? renderOverview(view) : handler(view);
}

function unknownListing(view: SetupView): Panel {
  const { problems, buttons } = view.texts.setup;
  return panel('bad', problems.unknownListing, [], [button(buttons.overview, 'overview')]);
}

function gone({ texts }: SetupView): Panel {
  const { problems, buttons } = texts.setup;
  return panel('bad', problems.gone, [], [button(buttons.overview, 'overview')]);
}

function openEdit(view: SetupView): Answer {
  const edit = editOf(view.input);
  return edit === null ? renderOverview(view) : openForm(view, edit);
}

function editAgain(view: SetupView): Answer {
  const edit = editOf(view.input);
  return edit === null ? renderOverview(view) : (reopenForm(view, edit) ?? gone(view));
}

function openEntry(view: SetupView): Answer {
  const edit = editOf(view.input);
  const [value = newEntry] = view.input.values;
  const position = Number(value);
  if (edit === null) return renderOverview(view);
  return openForm(view, { ...edit, entry: value === newEntry || !Number.isInteger(position) ? null : position });
}

function submit(view: SetupView): Promise<Panel> | Panel {
  const edit = editOf(view.input);
  return edit === null ? renderOverview(view) : submitForm(view, edit);
}

/** What the operator's file or environment says is in effect again. */
async function reset(view: SetupView): Promise<Panel> {
  const section = sectionOf(view.input.options['s']);
  if (section === null || section === 'listing') return renderOverview(view);
  const paths = section === 'shop' ? (['shop'] as const) : sectionPaths(section);
  const changes = paths
    .filter((path) => effectiveValue(view, path).source === 'setup')
    .map((path) => ({ listing: isCommunityPath(path) ? null : (view.listing?.name ?? null), path, value: undefined }));
  const result = await view.services.settings.save({ ...authorOf(view), basis: null, changes });
  return renderSaved(await refreshed(view), result, { section });
}

function confirmRemoval(view: SetupView): Panel {
  const { input, texts } = view;
  const { shop, buttons } = texts.setup;
  const item = listOf(effectiveValue(view, 'shop').value)[Number(input.options['e'])];
  if (item === undefined) return renderSection(view, 'shop');
  return panel(
    'bad',
    shop.removeTitle(escapedName(textOf(item['name']))),
    [textBlock(shop.remove)],
    [
      button(buttons.remove, 'removed', { ...input.options }, 'danger'),
      button(buttons.cancel, 'section', { ...listingOptions(view), s: 'shop' }),
    ],
  );
}

async function removeItem(view: SetupView): Promise<Panel> {
  const items = listOf(effectiveValue(view, 'shop').value);
  const position = Number(view.input.options['e']);
  if (items[position] === undefined) return renderSection(view, 'shop');
  const changes = [{ listing: null, path: 'shop' as const, value: items.toSpliced(position, 1) }];
  const basis = Number(view.input.options['v']);
  const result = await view.services.settings.save({ ...authorOf(view), basis, changes });
  return renderSaved(await refreshed(view), result, { section: 'shop' });
}

/** Listings can be linked if their secrets can be stored, and nobody can take over those of the operator. */
function ifLinkable(handler: Handler): Handler {
  return (view) => {
    const { services, community } = view;
    const mayLink = community.canStoreSecrets && services.checks.unassignedListings().length === 0;
    return mayLink ? handler(view) : renderWelcome(view);
  };
}

async function undo(view: SetupView): Promise<Panel> {
  const changeId = Number(view.input.options['id']);
  if (!Number.isSafeInteger(changeId)) return renderOverview(view);
  const { settings } = view.services;
  const [change] = await settings.changes(view.guildId, { before: changeId + 1, limit: 1 });
  const restored = change?.id === changeId ? change.changes : [];
  const problems = await findRoleProblems(
    view,
    restored.map(({ path, before, after }) => ({ path, before: after, after: before })),
  );
  if (problems.length > 0) return renderUnsaved(view, { problems }, undefined);
  const result = await settings.undo({ ...authorOf(view), changeId });
  return renderUndone(await refreshed(view), result);
}

async function replaceKey(view: SetupView): Promise<Panel> {
  const { listing, input, services, guildId } = view;
  if (listing === null) return unknownListing(view);
  const lookupKey = textField(input, 'lookupKey');
  const check = await services.checks.checkKey(guildId, listing.kind, lookupKey);
  if (check.status !== 'valid') return renderUnsaved(view, { problems: [keyProblem(view, check)] }, undefined);
  const { targetId } = check;
  const result = await services.settings.replaceKey({ ...authorOf(view), listing: listing.name, lookupKey, targetId });
  return renderSaved(await refreshed(view), result, { section: 'listing' });
}

function familyOf({ options }: CommandInput): 'vote' | 'premium' {
  return options['y'] === 'premium' ? 'premium' : 'vote';
}

async function rotateSecret(view: SetupView): Promise<Panel> {
  const { listing, input, services } = view;
  if (listing === null) return unknownListing(view);
  const family = familyOf(input);
  const secret = textField(input, 'secret') || null;
  const result = await services.settings.rotateSecret({ ...authorOf(view), listing: listing.name, family, secret });
  const current = await refreshed(view);
  return result.status === 'saved'
    ? renderRotated(current, family, result.secrets)
    : renderSaved(current, result, { section: 'listing' });
}

async function dropOldSecrets(view: SetupView): Promise<Panel> {
  const { listing, services } = view;
  if (listing === null) return unknownListing(view);
  const changed = { ...authorOf(view), listing: listing.name, family: familyOf(view.input) };
  const result = await services.settings.dropOldSecrets(changed);
  return renderSaved(await refreshed(view), result, { section: 'listing' });
}

async function unlinkListing(view: SetupView): Promise<Panel> {
  const { listing, services } = view;
  if (listing === null) return unknownListing(view);
  const result = await services.settings.unlink({ ...authorOf(view), listing: listing.name });
  return renderSaved(await refreshed(view), result, { section: null });
}
