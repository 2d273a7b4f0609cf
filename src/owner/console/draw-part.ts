import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Texts } from '../../texts/texts.ts';

/** Draws the part of a page that is about one listing. */
export type DrawPart = (listing: string, draw: () => Html) => Html;

/**
 * Pages show the listings of many owners: what one of them cannot be drawn with is logged, and missing only there.
 */
export function createDrawPart({ log, texts }: { readonly log: Log; readonly texts: Texts }): DrawPart {
  return (listing, draw) => {
    try {
      return draw();
    } catch (error) {
      log.error({ listing, reason: messageOf(error) }, 'a listing could not be drawn on a page of the console');
      return html`<section class="card"><h2><bdi>${listing}</bdi></h2><p class="notice bad">${texts.text('failure.title')}</p></section>`;
    }
  };
}
