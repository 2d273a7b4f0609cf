import { bold, lines, trustedMarkup } from '@tallyhook/platform/texts/markup';
import { settingsForm } from '../../../commands/setup/form.ts';
import type { SetupSection } from '../../../commands/setup/section.ts';
import { displayName, effectiveValue, type ListingView, textBlock } from '../../../commands/setup/view.ts';
import { styleOf } from '../../core/announcements/announcement-style.ts';
import { nameSamples, textsOf } from '../../core/announcements/preview.ts';
import type { PanelBlock } from '../../discord/commands/reply.ts';
import { votePreview } from './previews.ts';
import { announcementSettings } from './read-settings.ts';

/** What is announced, and how, with an example. */
export const announcements: SetupSection = {
  id: 'announcements',
  summary: ['announcements.mode'],
  forms: [
    settingsForm('style', 'style'),
    settingsForm('text', 'text', [
      'announcements.title',
      'announcements.text',
      'announcements.thumbnail',
      'announcements.language',
    ]),
  ],
  paths: announcementSettings.map(({ path }) => path),
  blocks: (view, settings) => [settings, ...renderPreview(view)],
  /** What replaces our own texts and looks only if it is set. */
  isUsed: (view, path) =>
    path === 'announcements.every'
      ? effectiveValue(view, 'announcements.mode').value === 'digest'
      : effectiveValue(view, path).value !== null,
};

/** How the announcement of a vote would look, with a sample member and what the rules in effect pay now. */
function renderPreview({ texts, clock, listing, ...view }: ListingView): PanelBlock[] {
  const { rewards, announcements: settings, timeZone } = listing.inEffect;
  if (settings.mode !== 'each') return [];
  const { reply } = votePreview({
    ...({ listing: listing.name, kind: listing.kind, rewards, timeZone } as const),
    ...{ style: styleOf(settings), texts, buttons: [], now: clock.now() },
    card: { name: displayName(view, listing.name), url: 'https://example.com/', site: listing.site?.name },
  });
  const title = reply.title === undefined ? null : bold(reply.title);
  const shown = nameSamples(lines(texts.text('setup.preview'), title, ...textsOf(reply).map(trustedMarkup)));
  return [{ kind: 'separator' }, textBlock(shown), { kind: 'separator' }];
}
