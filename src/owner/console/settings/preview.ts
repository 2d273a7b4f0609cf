import type { Html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { Response } from 'express';
import { type Draft, readDraft } from '../../../../commands/setup/draft.ts';
import { wouldHavePaid } from '../../../core/settings/setting-spec.ts';
import type { CommandInput } from '../../../discord/commands/input.ts';
import type { Texts } from '../../../texts/texts.ts';
import { previewAnnouncements } from '../../announcement-previews.ts';
import type { OwnerContext } from '../../context.ts';
import { previewsHtml } from '../announcements/previews.ts';
import { markupHtml } from './markup-html.ts';

interface PreviewContext {
  readonly context: OwnerContext;
  readonly texts: Texts;
}

/**
 * Answers with what a form would do that is not saved: `{html}`, an article for each announcement, or what the rules would
 * have paid; empty if there is nothing to show.
 * @throws HttpError 404 for other forms
 */
export async function sendPreview(response: Response, input: CommandInput, preview: PreviewContext): Promise<void> {
  const { scope, setup, clock, communities } = preview.context;
  const [{ standings }] = communities.all();
  const draft =
    scope &&
    setup &&
    (await readDraft(input, { clock, texts: preview.texts, services: setup, standings }, scope.guildId));
  if (draft === null) throw new HttpError(404, 'There is no preview of this form.');
  response.json({ html: (await draftHtml(draft, preview))?.text ?? '' });
}

async function draftHtml(draft: Draft, { context, texts }: PreviewContext): Promise<Html | null> {
  const { scope, guilds, clock } = context;
  const [names, guild] = await Promise.all([
    context.namesIn(scope)([]),
    scope && guilds.reader?.guild(scope.guildId).catch(() => null),
  ]);
  if (draft.section === 'rewards') {
    return draft.paid && markupHtml(wouldHavePaid(draft.paid, texts), names, texts.locale);
  }
  const { listing } = draft;
  const now = clock.now();
  const announced = texts.languages.for(listing.announcements.language, guild?.locale);
  const previews = previewAnnouncements(listing, { title: listing.title, texts: announced, now });
  return previewsHtml(previews, { names, texts, announced, now });
}
