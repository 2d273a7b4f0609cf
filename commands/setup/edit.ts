import { isEqual } from '@tallyhook/platform/json';
import { isOff } from '../../src/core/settings/setting-spec.ts';
import type { CommandInput } from '../../src/discord/commands/input.ts';
import type { Modal, ModalField, Panel } from '../../src/discord/commands/reply.ts';
import { announcementSettings, readAnnouncements } from '../../src/features/announcements/read-settings.ts';
import type { ListingSettings } from '../../src/features/settings/community.ts';
import { parseSetting, type SettingPath } from '../../src/features/settings.ts';
import type { SimulatedCredits } from '../../src/features/simulation/feature.ts';
import type { AnnouncementSettings } from '../../src/texts/announcement-settings.ts';
import type { FormContext, FormValues } from './form.ts';
import { findObjectProblems, renderSaved, renderUnsaved, withUploads } from './results.ts';
import { editOf, findForm } from './sections.ts';
import {
  authorOf,
  basisOf,
  displayName,
  type Edit,
  editOptions,
  effectiveValue,
  type ListingView,
  namesListing,
  openView,
  refreshed,
  type SetupView,
  toChanges,
} from './view.ts';

function formContext(view: SetupView, { entry, variant }: Edit): FormContext {
  return { texts: view.texts, value: (path) => effectiveValue(view, path).value, entry, variant };
}

/** The form, with the values in effect or with those of an earlier attempt. */
export function openForm(view: SetupView, edit: Edit, draft: CommandInput['fields'] | null = null): Modal {
  const { form } = edit;
  const fields = form.fields(formContext(view, edit));
  return {
    kind: 'modal',
    title: view.texts.text(`setup.forms.${form.name}`),
    action: 'submit',
    options: { ...editOptions(view, form, edit), v: view.community.version },
    fields: draft === null ? fields : fields.map((field) => withDraft(field, draft[field.name])),
  };
}

/** The form again, with what was entered before. Null if that is no longer stored. */
export function reopenForm(view: SetupView, edit: Edit): Modal | null {
  const draft = view.services.drafts.find(draftKey(view, edit));
  return draft === null ? null : openForm(view, edit, draft);
}

export async function submitForm(view: SetupView, edit: Edit): Promise<Panel> {
  const { services } = view;
  const input = await withUploads(view);
  if ('hint' in input) {
    keepDraft(view, edit);
    return renderUnsaved(view, { problems: [input] }, edit);
  }
  const { form, section } = edit;
  const contextOfForm = formContext(view, edit);
  const changes = changesOf(view, form.read(input, contextOfForm));
  const problems = await findObjectProblems(
    view,
    changes.map(([path, value]) => ({ path, before: effectiveValue(view, path).value, after: value })),
  );
  if (problems.length > 0) {
    keepDraft(view, edit);
    return renderUnsaved(view, { problems }, edit);
  }
  const saving = { ...authorOf(view), basis: basisOf(view), changes: toChanges(view, changes) };
  const result = await services.settings.save(saving);
  if (result.status === 'invalid' || result.status === 'conflict') keepDraft(view, edit);
  return renderSaved(await refreshed(view), result, { section, edit });
}

/** The values that differ from what is in effect, so that a form that was not touched changes nothing. */
function changesOf(view: SetupView, values: FormValues): [path: SettingPath, value: unknown][] {
  return (Object.entries(values) as [SettingPath, unknown][]).filter(([path, value]) => {
    const current = effectiveValue(view, path);
    if (value === undefined) return current.source === 'setup';
    return !isEqual(value, current.value) && !(isOff(value) && isOff(current.value));
  });
}

/** What the values of a form that is not saved would have paid; null if they are not valid, or would pay as now. */
async function simulateDraft(view: SetupView, edit: Edit): Promise<SimulatedCredits | null> {
  const { input, guildId, services } = view;
  const values = edit.form.read(input, formContext(view, edit));
  const changes = toChanges(view, changesOf(view, values));
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

function draftKey({ guildId, input, listing }: SetupView, { form, entry, variant }: Edit): string {
  return JSON.stringify([guildId, input.userId, listing?.name, form.name, entry, variant]);
}

function withDraft(field: ModalField, entered: CommandInput['fields'][string] | undefined): ModalField {
  if (entered === undefined) return field;
  switch (field.kind) {
    case 'text':
      return typeof entered === 'string' ? { ...field, value: entered } : field;
    case 'file':
      return field;
    case 'checkbox':
      return { ...field, checked: entered === true };
    case 'radios':
    case 'checkboxes':
    case 'choices': {
      const values = typeof entered === 'object' ? entered : [entered];
      return { ...field, choices: field.choices.map((each) => ({ ...each, selected: values.includes(each.value) })) };
    }
    default:
      return typeof entered === 'object' ? { ...field, selected: entered } : field;
  }
}

/** What a form would do that is not saved. */
export type Draft =
  | { readonly section: 'announcements'; readonly listing: DraftListing }
  /** What members would have been paid; null if it is not known, or the same. */
  | { readonly section: 'rewards'; readonly paid: SimulatedCredits | null };

/** A listing with announcements as the form says. */
interface DraftListing extends Pick<ListingSettings['inEffect'], 'rewards' | 'timeZone'> {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** The name on the service: external text. */
  readonly title: string;
  readonly announcements: AnnouncementSettings;
}

/** Whether {@link readDraft} knows what this form would do. */
export function hasDraft(form: unknown): boolean {
  const section = findForm(form)?.section;
  return section === 'announcements' || section === 'rewards';
}

/** Null for other forms, or an unknown listing. Rejects with the errors of the store. */
export async function readDraft(
  input: CommandInput,
  context: Pick<SetupView, 'clock' | 'texts' | 'services' | 'standings'>,
  guildId: string,
): Promise<Draft | null> {
  const view = await openView(input, context, guildId);
  const edit = editOf(input);
  if (edit === null || !namesListing(view)) return null;
  const { section } = edit;
  if (section === 'rewards') return { section, paid: await simulateDraft(view, edit) };
  return section === 'announcements' ? { section, listing: draftListing(view, edit) } : null;
}

function draftListing(view: ListingView, edit: Edit): DraftListing {
  const { input, listing } = view;
  const { name, kind, inEffect } = listing;
  const value = (path: Parameters<typeof effectiveValue>[1]) => effectiveValue(view, path).value;
  const entered = edit.form.read(input, { texts: view.texts, value, entry: null, variant: null });
  const stated = announcementSettings.map(({ path, schema }) => {
    // A value that is not valid yet changes nothing.
    const valid = [entered[path], value(path)].find((each) => each === null || schema.safeParse(each).success);
    return [path.slice('announcements.'.length), schema.safeParse(valid).data] as const;
  });
  const { rewards, timeZone } = inEffect;
  const announcements = readAnnouncements(Object.fromEntries(stated));
  return { name, kind, rewards, timeZone, title: displayName(view, name), announcements };
}
