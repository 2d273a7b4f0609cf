import { type JsonObject, listOf, objectOf, parseJson, textOf } from '@tallyhook/platform/json';
import { type SettingSpec, valueAt } from '../../src/core/settings/setting-spec.ts';
import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, Panel, Reply } from '../../src/discord/commands/reply.ts';
import { settings } from '../../src/features/settings.ts';
import { fileField } from './form.ts';
import { keyProblem } from './link.ts';
import { findObjectProblems, type Problem, problemOf, type ValueChange, withUploads } from './problems.ts';
import { renderUnsaved, showSaved } from './results.ts';
import { authorOf, effectiveValue, listingOptions, type SetupView } from './view.ts';

export function importForm(view: SetupView): Modal {
  const { text } = view.texts;
  return {
    kind: 'modal',
    title: text('setup.forms.import'),
    action: 'imported',
    options: listingOptions(view),
    fields: [
      fileField('settings', view.texts),
      {
        kind: 'text',
        name: 'settings',
        label: text('setup.fields.settings'),
        description: text('setup.hints.settings'),
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
  const objectProblems = await findObjectProblems(view, importedValues(view, text));
  if (objectProblems.length > 0) return renderUnsaved(view, { problems: objectProblems });
  const { problems, targetIds } = await checkImportedKeys(view, text);
  if (problems.length > 0) return renderUnsaved(view, { problems });
  return showSaved(view, view.services.settings.import({ ...authorOf(view), text, targetIds }), { section: null });
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

const withObjects = settings.filter(
  ({ isChannel, givenRoles, requiredRoles }: SettingSpec) => isChannel || givenRoles || requiredRoles,
);
/** Single ones first, then those of lists. */
const objectPaths = [false, true].flatMap((isList) =>
  withObjects.filter((spec: SettingSpec) => (spec.showEntry !== undefined) === isList).map(({ path }) => path),
);

/** The settings with channels and roles in an imported text, which can contain anything, beside the values in effect. */
export function importedValues(view: SetupView, text: string): readonly ValueChange[] {
  return listingsIn(text).flatMap((imported) => {
    const listing = view.community.listings.find(({ name }) => name === imported['name']) ?? null;
    return objectPaths.map((path) => ({
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
  const { text } = texts;
  const content = new TextEncoder().encode(await services.settings.export(guildId));
  return {
    tone: 'plain',
    title: texts.text('setup.main.title'),
    footer: text('setup.files.exported'),
    files: [{ name: 'tallyhook-settings.json', content, description: text('setup.buttons.export') }],
    response: 'new',
  };
}
