import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, ModalField, Panel } from '../../src/discord/commands/reply.ts';
import type { ListingSettings } from '../../src/features/setup/community.ts';
import { missingFor } from '../../src/lookup/sites/site-apis.ts';
import type { Site } from '../../src/webhook/sites/site.ts';
import { renderSaved } from './results.ts';
import { authorOf, listingOptions, refreshed, type SetupView } from './view.ts';

/**
 * The form with what is not needed to link a listing: own secrets; on another site what its API and its vote page need. A
 * field that stays empty changes nothing.
 */
export function detailsForm({ texts }: SetupView, listing: ListingSettings): Modal {
  const { buttons, fields, hints } = texts.setup;
  const { site, kind } = listing;
  const text = { kind: 'text', required: false } as const;
  const secret = { ...text, name: 'secret', label: fields.voteSecret, maxLength: 200 };
  const siteKey = { ...text, name: 'siteKey', label: fields.siteKey, description: hints.siteKey, maxLength: 1000 };
  const slug = { ...text, name: 'slug', label: fields.slug, description: hints.slug, maxLength: 100 };
  const asked: readonly ModalField[] =
    site === null
      ? [secret, { ...secret, name: 'premiumSecret', label: fields.premiumSecret }]
      : [secret, ...(takesKey(listing) ? [siteKey] : []), ...(needsSlug(site, kind) ? [slug] : [])];
  return {
    kind: 'modal',
    title: buttons.more,
    action: 'more-saved',
    options: listingOptions({ listing }),
    fields: asked,
  };
}

/** Whether the site of a listing says who has voted to those who have a token of it. */
export function takesKey({ site, kind }: Pick<ListingSettings, 'site' | 'kind'>): boolean {
  return site !== null && missingFor({ site: site.id, kind, id: '', key: null }) === 'key';
}

function needsSlug(site: Site, kind: ListingSettings['kind']): boolean {
  const hasPage = (slug: string | null) => site.votePage({ kind, id: '1', slug }) !== null;
  return hasPage('name') && !hasPage(null);
}

/** In a new message, because the secret in the first one is shown only there. */
export async function saveDetails(view: SetupView, listing: ListingSettings): Promise<Panel> {
  const { input, services } = view;
  const entered = (name: string) => textField(input, name) || null;
  const result = await services.settings.describe({
    ...authorOf(view),
    listing: listing.name,
    details: {
      voteSecret: entered('secret'),
      premiumSecret: entered('premiumSecret'),
      siteKey: entered('siteKey'),
      slug: entered('slug'),
    },
  });
  return { ...(await renderSaved(await refreshed(view), result, { section: 'listing' })), response: 'new' };
}
