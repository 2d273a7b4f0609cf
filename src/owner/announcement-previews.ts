import { commands } from '../../commands/index.ts';
import type { ListingConfig } from '../../config/schema.ts';
import type { AnnouncementPreview } from '../core/announcements/announcement.ts';
import { styleOf } from '../core/announcements/announcement-style.ts';
import { offersAt } from '../discord/commands/command.ts';
import { previews } from '../features/previews.ts';
import type { Texts } from '../texts/texts.ts';
import { findSite } from '../webhook/sites/index.ts';

/** The settings of a listing that its announcements depend on. */
export type AnnouncedListing = Pick<ListingConfig, 'name' | 'kind' | 'announcements' | 'site' | 'rewards' | 'timeZone'>;

/** Announcements with sample members and the amounts that the rules pay now. @param options `title` of the listing */
export function previewAnnouncements(
  { name, kind, announcements, site, rewards, timeZone }: AnnouncedListing,
  { title, texts, now }: { readonly title: string; readonly texts: Texts; readonly now: number },
): readonly AnnouncementPreview[] {
  const style = styleOf(announcements);
  const card = { name: title, url: 'https://example.com/', site: site && findSite(site).name };
  const buttons = offersAt('vote', commands, texts);
  const context = { listing: name, kind, rewards, timeZone, style, card, texts, buttons, now };
  return previews.flatMap((preview) => preview(context));
}
