import { systemClock } from '@tallyhook/platform/clock';
import { formatExactly, second } from '@tallyhook/platform/durations';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { defaultLocale } from '@tallyhook/platform/texts/locale';
import { communityConfigs } from '../../config/listings.ts';
import { loadConfig } from '../../config/load.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { type AnnouncementPreview, nameSamples, textsOf } from '../core/announcements/announcement.ts';
import { previewAnnouncements } from '../owner/announcement-previews.ts';
import { ownTexts, textsIn } from '../texts/texts.ts';
import { storedSettingsOrWarning } from './settings.ts';

export async function previewOnTerminal(
  { listing: wanted, json }: { listing?: string; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const config = loadConfig(process.env);
  const stored = await storedSettingsOrWarning(() => config.databaseUrl, terminal);
  const listings = previewListings(
    communityConfigs(config.base, stored).flatMap((each) => each.listings),
    systemClock.now(),
  );
  const names = listings.map(({ listing }) => listing);
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new UsageError(withSuggestion(`There is no listing "${wanted}".`, wanted, names));
  }
  const all = listings.filter(({ listing }) => wanted === undefined || listing === wanted);
  if (json) terminal.print(JSON.stringify(all, null, 2));
  else if (all.length === 0) {
    terminal.printError('There is no listing yet: link one with /setup in Discord, or configure one.');
  } else {
    const texts = all.map(({ listing, mode, previews }) =>
      [`Listing ${listing} (mode: ${mode})`, ...previews.flatMap((each) => ['', ...formatPreview(each)])].join('\n'),
    );
    terminal.print(texts.join('\n\n'));
  }
  return exitCode.ok;
}

/** The announcements of the listings, as texts. @param now ms since the epoch */
export function previewListings(listings: readonly ListingConfig[], now: number) {
  return listings
    .filter(({ implied }) => !implied)
    .map((listing) => {
      const { name, announcements } = listing;
      const texts = ownTexts.for(announcements.language);
      const previews = previewAnnouncements(listing, { title: listing.title ?? name, texts, now }).map((each) =>
        toTexts(each, now),
      );
      return { listing: name, mode: announcements.mode, previews };
    });
}

function toTexts({ subject, reply }: AnnouncementPreview, now: number) {
  const buttons =
    'kind' in reply ? reply.blocks.flatMap((block) => ('buttons' in block ? block.buttons : [])) : reply.buttons;
  return {
    subject: textsIn(defaultLocale).text(`console.previews.${subject}`),
    title: readable(reply.title ?? '', now),
    text: textsOf(reply).flatMap((text) => (text === '' ? [] : readable(text, now).split('\n'))),
    buttons: (buttons ?? []).map(({ label }) => label),
  };
}

/** A message with names and times in place of Discord's mentions and timestamps. The texts are short. */
function readable(text: string, now: number): string {
  return nameSamples(text)
    .replace(/^\[([^\]]*)\]\(https:[^)]*\)$/, '$1')
    .replace(/<t:(\d{1,12}):R>/g, (_, seconds: string) => {
      const ahead = Number(seconds) - Math.floor(now / second);
      return `in ${formatExactly(ahead * second)}`;
    })
    .replace(/<t:(\d{1,12}):\w>/g, (_, seconds: string) =>
      new Date(Number(seconds) * 1_000).toISOString().slice(0, 16),
    );
}

function formatPreview({ subject, title, text, buttons }: ReturnType<typeof toTexts>): readonly string[] {
  const shown = buttons.length === 0 ? [] : [`  ${buttons.map((label) => `[${label}]`).join(' ')}`];
  return [`${subject}:`, ...[title, ...text].map((line) => `  ${line}`.trimEnd()), ...shown];
}
