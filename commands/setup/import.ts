import { type SettingSpec, valueAt } from '../../src/core/settings/setting-spec.ts';
import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, Panel, Reply } from '../../src/discord/commands/reply.ts';
import { communityPaths, listingPaths, settingAt, settings } from '../../src/features/settings.ts';
import type { SettingIssue } from '../../src/features/setup/community.ts';
import { type JsonObject, listOf, objectOf, parseJson, textOf } from '../../src/platform/json.ts';
import type { SetupChecks } from '../setup-services.ts';
import { fileField } from './form.ts';
import { keyProblem } from './link.ts';
import { findRoleProblems, type Problem, problemOf, type ValueChange, withUploads } from './problems.ts';
import { renderSaved, renderUnsaved, showSaved } from './results.ts';
import { authorOf, effectiveValue, listingOptions, type SetupView } from './view.ts';

export function importForm(view: SetupView): Modal {
  const { forms, fields, hints } = view.texts.setup;
  return {
    kind: 'modal',
    title: forms.import,
    action: 'imported',
    options: listingOptions(view),
    fields: [
      fileField('settings', view.texts),
      {
        kind: 'text',
        name: 'settings',
        label: fields.settings,
        description: hints.settings,
        multiline: true,
        required: false,
      },
    ],
  };
}

/** Saves an imported text, unless it has what a form would not accept. */
export async function importSettings(view: SetupView): Promise<Panel> {
  const input = await withUploads(view);
  if ('hint' in input) return renderUnsaved(view, { problems: [input] });
  const text = textField(input, 'settings');
  const roleProblems = await findRoleProblems(view, importedValues(view, text));
  if (roleProblems.length > 0) return renderUnsaved(view, { problems: roleProblems });
  const issues = await issuesOfChannels(view, text);
  if (issues.length > 0) return renderSaved(view, { status: 'invalid', issues }, { section: null });
  const { problems, targetIds } = await checkImportedKeys(view, text);
  if (problems.length > 0) return renderUnsaved(view, { problems });
  return showSaved(view, view.services.settings.import({ ...authorOf(view), text, targetIds }), { section: null });
}

const channelPaths = [...listingPaths, ...communityPaths].filter((path) => settingAt(path).isChannel);

/**
 * Why the channels in an imported text cannot be used: the bot may be in guilds of other owners, and would post in their
 * channels too. Unlike the selects of the forms, a text can contain any id.
 */
export async function issuesOfChannels(
  {
    services,
    guildId,
  }: { readonly services: { readonly checks: Pick<SetupChecks, 'channelsOf'> }; readonly guildId: string },
  text: string,
): Promise<readonly SettingIssue[]> {
  const named = listingsIn(text).flatMap((listing) =>
    channelPaths.map((path) => ({ path, id: listing[path] })).filter(({ id }) => id !== undefined && id !== null),
  );
  if (named.length === 0) return [];
  const own = await services.checks.channelsOf(guildId);
  const common = { listing: null, code: 'invalid' } as const;
  if (own === null) {
    const issue = { ...common, problem: 'could not be checked with Discord.', hint: 'Try again later.' };
    return named.slice(0, 1).map(({ path }) => ({ ...issue, path }));
  }
  return named
    .filter(({ id }) => typeof id !== 'string' || !own.has(id))
    .map(({ path }) => {
      return { ...common, path, problem: 'is not a channel of this server.', hint: 'Choose a channel of this server.' };
    });
}

/** Checks the API keys in an imported text as a form does: with the key of another listing, its votes would count here. */
async function checkImportedKeys(view: SetupView, text: string) {
  const { community, services, guildId } = view;
  const problems: Problem[] = [];
  /** Discord ids of the servers and bots that the keys belong to, by the name of the listing. */
  const targetIds = new Map<string, string>();
  for (const entry of listingsIn(text)) {
    const lookupKey = textOf(entry['lookupKey']);
    const listing =
      community.listings.find(({ name }) => name === entry['name']) ??
      community.listings.find(
        ({ kind, targetId }) => targetId !== null && kind === entry['kind'] && targetId === entry['id'],
      );
    // What is not found is reported by the import itself.
    if (lookupKey === '' || listing === undefined) continue;
    const { name, kind, targetId } = listing;
    const check = await services.checks.checkKey(guildId, kind, lookupKey);
    if (check.status !== 'valid') problems.push(keyProblem(view, check));
    else if (check.targetId !== null && targetId !== null && check.targetId !== targetId) {
      const issue = { listing: name, path: 'lookupKey', code: 'other_listing', problem: '', hint: '' } as const;
      problems.push(problemOf(issue, view));
    } else if (check.targetId !== null) targetIds.set(name, check.targetId);
  }
  return { problems, targetIds };
}

const withRoles = settings.filter((spec: SettingSpec) => spec.givenRoles !== undefined);
/** Single roles first, then those of lists. */
const rolePaths = [false, true].flatMap((isList) =>
  withRoles.filter((spec: SettingSpec) => (spec.showEntry !== undefined) === isList).map(({ path }) => path),
);

/** The settings with roles in an imported text, which can contain anything, beside the values in effect. */
export function importedValues(view: SetupView, text: string): readonly ValueChange[] {
  return listingsIn(text).flatMap((imported) => {
    const listing = view.community.listings.find(({ name }) => name === imported['name']) ?? null;
    return rolePaths.map((path) => ({
      path,
      before: effectiveValue({ ...view, listing }, path).value,
      after: valueAt(imported, path),
    }));
  });
}

function listingsIn(text: string): readonly JsonObject[] {
  return listOf(objectOf(parseJson(text))['listings']);
}

export async function exportSettings({ services, guildId, texts }: SetupView): Promise<Reply> {
  const { files, buttons } = texts.setup;
  const content = new TextEncoder().encode(await services.settings.export(guildId));
  return {
    tone: 'plain',
    title: texts.setup.main.title,
    footer: files.exported,
    files: [{ name: 'tallyhook-settings.json', content, description: buttons.export }],
    response: 'new',
  };
}
