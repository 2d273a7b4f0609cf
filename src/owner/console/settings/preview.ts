import type { Response } from 'express';
import { draftAnnouncements } from '../../../../commands/setup/draft.ts';
import type { CommandInput } from '../../../discord/commands/input.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import { type Texts, textsFor } from '../../../texts/texts.ts';
import { previewAnnouncements } from '../../announcement-previews.ts';
import type { OwnerContext } from '../../context.ts';
import { previewsHtml } from '../announcements/previews.ts';

/**
 * Answers with the announcements as a form says that is not saved: `{html}`, an article for each.
 * @throws HttpError 404 for a form that is not about announcements
 */
export async function sendPreview(
  response: Response,
  input: CommandInput,
  { context, texts }: { readonly context: OwnerContext; readonly texts: Texts },
): Promise<void> {
  const { scope, setup, guilds, clock } = context;
  const { standings } = context.communities.home;
  const draft =
    scope === null || setup === null
      ? null
      : await draftAnnouncements(input, { clock, texts, services: setup, standings }, scope.guildId);
  if (draft === null) throw new HttpError(404, 'There is no preview of this form.');
  const [names, guild] = await Promise.all([
    context.namesIn(scope)([]),
    scope && guilds.reader?.guild(scope.guildId).catch(() => null),
  ]);
  const now = clock.now();
  const announced = textsFor(draft.announcements.language, guild?.locale);
  const previews = previewAnnouncements(draft, { title: draft.title, texts: announced, now });
  response.json({ html: previewsHtml(previews, { names, texts, announced, now }).text });
}
