import type { CommandInput } from '../../src/discord/commands/input.ts';
import { announcementSettings, readAnnouncements } from '../../src/features/announcements/read-settings.ts';
import type { ListingSettings } from '../../src/features/settings/community.ts';
import type { SimulatedCredits } from '../../src/features/simulation/feature.ts';
import type { AnnouncementSettings } from '../../src/texts/announcement-settings.ts';
import { simulateDraft } from './edit.ts';
import { editOf, findForm } from './forms.ts';
import {
  displayName,
  type Edit,
  effectiveValue,
  type ListingView,
  namesListing,
  openView,
  type SetupView,
} from './view.ts';

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
