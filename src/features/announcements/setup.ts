import { settingsForm } from '../../../commands/setup/form.ts';
import type { SetupSection } from '../../../commands/setup/section.ts';
import { displayName, effectiveValue, escapedName, type ListingView, textBlock } from '../../../commands/setup/view.ts';
import type { PanelBlock } from '../../discord/commands/reply.ts';
import { hour } from '../../platform/durations.ts';
import { textOf } from '../../platform/json.ts';
import { bold, lines, type Markup, markup, mention, timestamp } from '../../texts/markup.ts';
import { type PlaceholderName, parseTemplate, renderTemplate } from '../../texts/template.ts';
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

const sample = { credits: 10, balance: 120, votes: 12, streak: 7 };

/** How the announcement of a vote of the member would look. */
function renderPreview(view: ListingView): PanelBlock[] {
  const { texts, clock, input, listing } = view;
  if (effectiveValue(view, 'announcements.mode').value !== 'each') return [];
  const { announcement, number } = texts;
  const now = clock.now();
  const name = escapedName(displayName(view, listing.name));
  const empty = markup``;
  const values: Readonly<Record<PlaceholderName, Markup>> = {
    mention: mention(input.userId),
    listing: name,
    site: escapedName(listing.site?.name ?? '…'),
    credits: number(sample.credits),
    balance: number(sample.balance),
    votes: number(sample.votes),
    streak: number(sample.streak),
    next: timestamp(now + 12 * hour, 'R'),
    time: timestamp(now, 'f'),
    reason: empty,
    bonuses: empty,
    roles: empty,
    url: markup`https://…`,
  };
  const own = (path: 'announcements.title' | 'announcements.text') => {
    const template = textOf(effectiveValue(view, path).value);
    return template === '' ? null : renderTemplate(parseTemplate(template), values);
  };
  const title = own('announcements.title') ?? announcement.titles.vote;
  const credits = announcement.credits(sample.credits);
  const isLarge = effectiveValue(view, 'announcements.largeCredits').value === true;
  const text =
    own('announcements.text') ??
    lines(announcement.voted(mention(input.userId), name), isLarge ? markup`## ${credits}` : credits);
  return [{ kind: 'separator' }, textBlock(lines(texts.setup.preview, bold(title), text)), { kind: 'separator' }];
}
