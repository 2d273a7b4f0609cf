import { type Html, html } from '../../platform/web/html.ts';
import type { AnnouncementPreview, ListingPreviews } from '../announcement-preview.ts';

/** What the announcements of each listing look like. */
export function announcementsPage(listings: readonly ListingPreviews[]): Html {
  return html`<h1>Announcements</h1>
<p class="quiet">As the settings say, with sample members. Discord shows its own markup, mentions and times in its own way.</p>
${listings.map(
  ({ listing, mode, previews }) =>
    html`<section class="card" aria-label="${listing}"><h2><bdi>${listing}</bdi> <span class="quiet">mode: ${mode}</span></h2>${previews.map(preview)}</section>`,
)}`;
}

function preview({ subject, title, text, buttons }: AnnouncementPreview): Html {
  const shown = [title, ...text, ...(buttons.length === 0 ? [] : [buttons.map((label) => `[${label}]`).join(' ')])];
  return html`<h3>${subject}</h3><pre>${shown.join('\n')}</pre>`;
}
