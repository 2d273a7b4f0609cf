import type { CommandInput } from '../../src/discord/commands/input.ts';
import { announcementSettings, readAnnouncements } from '../../src/features/announcements/settings.ts';
import type { AnnouncementSettings } from '../../src/texts/announcement-settings.ts';
import { editOf, forms } from './forms.ts';
import { displayName, effectiveValue, namesListing, openView, type SetupView } from './view.ts';

/** A listing with announcements as a form says that is not saved. */
interface Draft {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** The name on the service: external text. */
  readonly title: string;
  readonly announcements: AnnouncementSettings;
}

/** Null for a form that is not about announcements, or an unknown listing. Rejects with the errors of the store. */
export async function draftAnnouncements(
  input: CommandInput,
  context: Pick<SetupView, 'clock' | 'texts' | 'services' | 'standings'>,
  guildId: string,
): Promise<Draft | null> {
  const view = await openView(input, context, guildId);
  const edit = editOf(input);
  const { listing } = view;
  if (edit === null || forms[edit.name].section !== 'announcements' || listing === null || !namesListing(view)) {
    return null;
  }
  const value = (path: Parameters<typeof effectiveValue>[1]) => effectiveValue(view, path).value;
  const entered = forms[edit.name].read(input, { texts: view.texts, value, entry: null, variant: null });
  const stated = announcementSettings.map(({ path, schema }) => {
    // A value that is not valid yet changes nothing.
    const valid = [entered[path], value(path)].find((each) => each === null || schema.safeParse(each).success);
    return [path.slice('announcements.'.length), schema.safeParse(valid).data] as const;
  });
  const { name, kind } = listing;
  return { name, kind, title: displayName(view, name), announcements: readAnnouncements(Object.fromEntries(stated)) };
}
