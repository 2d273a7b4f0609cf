import { z } from 'zod';
import type { AnnouncementSettings } from '../../texts/announcement-settings.ts';
import { parseTemplate, placeholdersIn, type Template } from '../../texts/template.ts';
import type { TextIn } from '../../texts/texts.ts';
import { addedValue } from '../added-value.ts';
import { setting } from '../settings/setting-spec.ts';

/** How the announcements of a listing look. */
export interface AnnouncementStyle extends Omit<AnnouncementSettings, 'title' | 'text' | 'colour'> {
  /** In place of the headline and the text of a vote; null for ours. */
  readonly title: Template | null;
  readonly text: Template | null;
  /** 0xRRGGBB; null for ours. */
  readonly colour: number | null;
}

export function styleOf({ title, text, colour, ...settings }: AnnouncementSettings): AnnouncementStyle {
  return {
    ...settings,
    title: title === null ? null : parseTemplate(title),
    text: text === null ? null : parseTemplate(text),
    colour: colour === null ? null : Number.parseInt(colour.slice(1), 16),
  };
}

/** Checks whether its texts contain the votes of the member. */
export function showsVotes({ title, text }: AnnouncementStyle): boolean {
  return [title, text].some((template) => template !== null && placeholdersIn(template).includes('votes'));
}

/** Checks whether its announcements of votes mention the voter. */
export function showsVoter({ mode, text }: AnnouncementStyle): boolean {
  return mode !== 'each' || text === null || placeholdersIn(text).includes('mention');
}

/**
 * A setting of something that is announced or shown, or not.
 * @param isOn whether it is, if no listing says otherwise
 */
export function announcementSwitch<const Name extends TextIn<'setup.choices'>>(
  name: Name,
  description: string,
  isOn = true,
  field: 'switches' | 'show' = 'switches',
) {
  const value = addedValue(name, isOn);
  return setting({
    path: `announcements.${name}`,
    description,
    default: isOn,
    schema: z.boolean(),
    inFile: ({ announcements }) => value.in(announcements),
    form: field === 'show' ? 'text' : 'style',
    fields: [{ name: field, kind: 'switch', choice: name }],
  });
}
