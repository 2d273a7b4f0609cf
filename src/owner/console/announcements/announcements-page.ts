import { type Html, html } from '@tallyhook/platform/web/html';
import type { Texts } from '../../../texts/texts.ts';
import { type AnnouncedListing, previewAnnouncements } from '../../announcement-previews.ts';
import type { OwnerContext } from '../../context.ts';
import { createDrawPart } from '../cells.ts';
import { previewAssets, previewsHtml } from './previews.ts';

/** What the announcements of each listing look like. @param base the relative URL of the whole console */
export async function announcementsPage(context: OwnerContext, texts: Texts, base: string): Promise<Html> {
  const { listings, namesIn, scope, guilds, clock, log } = context;
  const names = await namesIn(scope)([]);
  const guild = scope && (await guilds.reader?.guild(scope.guildId).catch(() => null));
  const now = clock.now();
  const drawPart = createDrawPart({ log, texts });
  const card = (listing: AnnouncedListing) => {
    const title = names.listing(listing.name) ?? listing.name;
    const ofListing = texts.languages.for(listing.announcements.language, guild?.locale);
    const previews = previewAnnouncements(listing, { title, texts: ofListing, now });
    const mode = texts.text(`setup.choices.${listing.announcements.mode}`);
    return html`<section class="card" aria-label="${title}"><h2><bdi>${title}</bdi> <span class="quiet">${mode}</span></h2>
<div class="previews">${previewsHtml(previews, { names, texts, announced: ofListing, now })}</div></section>`;
  };
  return html`<h1>${texts.text('console.announcements')}</h1>
<p class="quiet">${texts.text('console.previewHint')}</p>
${listings()
  .filter(({ implied }) => !implied)
  .map((listing) => drawPart(listing.name, () => card(listing)))}
${previewAssets(base)}`;
}
