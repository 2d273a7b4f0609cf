import type { AnnouncementSettings } from '../../texts/announcement-settings.ts';
import { parseTemplate, placeholdersIn, type Template } from '../../texts/template.ts';

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

/** Whether its texts contain the votes of the member. */
export function showsVotes({ title, text }: AnnouncementStyle): boolean {
  return [title, text].some((template) => template !== null && placeholdersIn(template).includes('votes'));
}

/** Whether its announcements of votes mention the voter. */
export function showsVoter({ mode, text }: AnnouncementStyle): boolean {
  return mode !== 'each' || text === null || placeholdersIn(text).includes('mention');
}
