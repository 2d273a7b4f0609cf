import type { PanelBlock } from '../../src/discord/commands/reply.ts';
import { hour } from '../../src/platform/durations.ts';
import { textOf } from '../../src/platform/json.ts';
import { bold, lines, type Markup, markup, mention, timestamp } from '../../src/texts/markup.ts';
import { type PlaceholderName, parseTemplate, renderTemplate } from '../../src/texts/template.ts';
import { displayName, effectiveValue, escapedName, type SetupView, textBlock } from './view.ts';

const sample = { credits: 10, balance: 120, votes: 12, streak: 7 };

/** How the announcement of a vote of the member would look. */
export function renderPreview(view: SetupView): PanelBlock[] {
  const { texts, clock, input, listing } = view;
  if (listing === null || effectiveValue(view, 'announcements.mode').value !== 'each') return [];
  const { announcement, number } = texts;
  const now = clock.now();
  const name = escapedName(displayName(view, listing.name));
  const empty = markup``;
  const values: Readonly<Record<PlaceholderName, Markup>> = {
    ...{ mention: mention(input.userId), listing: name, credits: number(sample.credits) },
    ...{ balance: number(sample.balance), votes: number(sample.votes), streak: number(sample.streak) },
    ...{ next: timestamp(now + 12 * hour, 'R'), time: timestamp(now, 'f') },
    ...{ reason: empty, bonuses: empty, roles: empty, url: markup`https://…` },
  };
  const own = (path: 'announcements.title' | 'announcements.text') => {
    const template = textOf(effectiveValue(view, path).value);
    return template === '' ? null : renderTemplate(parseTemplate(template), values);
  };
  const title = own('announcements.title') ?? announcement.titles.vote;
  const text = own('announcements.text') ?? announcement.voted(mention(input.userId), name);
  return [{ kind: 'separator' }, textBlock(lines(texts.setup.preview, bold(title), text)), { kind: 'separator' }];
}
