import { bold, codeBlock, joined, lines, type Markup, subtext } from '@tallyhook/platform/texts/markup';
import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, ModalField, Panel, PanelBlock } from '../../src/discord/commands/reply.ts';
import type { GeneratedSecrets, ListingSettings, SecretFamily } from '../../src/features/settings/community.ts';
import { missingFor } from '../../src/lookup/sites/site-apis.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { Site } from '../../src/webhook/sites/site.ts';
import { secretField, trustText } from './link-site.ts';
import { panel, showSaved } from './results.ts';
import {
  authorOf,
  button,
  buttonBlock,
  displayName,
  escapedName,
  type ListingView,
  listingOptions,
  listingTitle,
  settingName,
  textBlock,
} from './view.ts';

const families = ['vote', 'premium'] as const satisfies readonly SecretFamily[];

/** A listing with its addresses, and what changes its key and secrets. */
export function renderListing(view: ListingView): Panel {
  const { listing, texts } = view;
  const { text } = texts;
  const { site } = listing;
  const options = listingOptions(view);
  const count = (path: string, secrets: number) =>
    joined([bold(settingName(path, texts)), text('setup.values.stored', { count: secrets })], ': ');
  const isOwn = listing.origin === 'setup';
  const withOld = listing.voteSecrets > 1 ? 'vote' : listing.premiumSecrets > 1 ? 'premium' : null;
  return panel(
    'plain',
    escapedName(listingTitle(view, listing)),
    [
      textBlock(
        site === null
          ? lines(
              texts.text('setup.listing.key', {
                state: texts.text(listing.hasLookupKey ? 'setup.listing.keyStored' : 'setup.listing.keyMissing'),
              }),
              count('voteSecrets', listing.voteSecrets),
              count('premiumSecrets', listing.premiumSecrets),
            )
          : lines(
              trustText(texts, site),
              count('voteSecrets', listing.voteSecrets),
              takesKey(listing) ? count('siteKey', Number(listing.hasSiteKey)) : null,
            ),
      ),
      ...addressBlocks(view, null),
      ...(isOwn ? [] : [textBlock(subtext(text('setup.listing.operators')))]),
      buttonBlock(
        button(text('setup.buttons.tests'), 'test', options, 'primary'),
        ...(isOwn
          ? [
              ...(site === null ? [button(text('setup.buttons.newKey'), 'key', options)] : []),
              button(text('setup.buttons.voteSecret'), 'rotate', { ...options, y: 'vote' }),
              site === null
                ? button(text('setup.buttons.premiumSecret'), 'rotate', { ...options, y: 'premium' })
                : button(text('setup.buttons.more'), 'more', options),
              ...(withOld === null
                ? []
                : [button(text('setup.buttons.dropSecrets'), 'drop', { ...options, y: withOld })]),
            ]
          : []),
      ),
    ],
    [
      ...(isOwn ? [button(text('setup.buttons.unlink'), 'unlink', options, 'danger')] : []),
      button(text('setup.buttons.overview'), 'overview', options),
    ],
  );
}

/** The addresses for the dashboard of the service or site, with the secrets if they are new. */
export function addressBlocks(
  { texts, listing: { addresses, premiumSecrets } }: ListingView,
  secrets: GeneratedSecrets | null,
  // Premium events are not received without a secret of their own.
  shown: readonly SecretFamily[] = premiumSecrets === 0 ? ['vote'] : families,
): PanelBlock[] {
  const { text } = texts;
  const ofFamily = (family: SecretFamily, address: string): Markup => {
    const secret = secrets?.[`${family}Secret`] ?? null;
    return lines(
      addressText(texts, family, address),
      ...(secrets === null
        ? []
        : [
            joined([bold(text(`setup.link.${family}`)), text('setup.link.secret')], ' · '),
            secret === null ? text('setup.link.stored') : codeBlock(secret),
          ]),
    );
  };
  return [
    ...shown.flatMap((family) => {
      const address = addresses[family];
      return address === null ? [] : textBlock(ofFamily(family, address));
    }),
    ...incompleteNote(texts, addresses.vote),
  ];
}

/** The address for a site on which a listing is about to be linked. */
export function siteAddressBlocks(texts: Texts, address: string): PanelBlock[] {
  return [textBlock(addressText(texts, 'vote', address)), ...incompleteNote(texts, address)];
}

function addressText({ text }: Texts, family: SecretFamily, address: string): Markup {
  return lines(joined([bold(text(`setup.link.${family}`)), text('setup.link.address')], ' · '), codeBlock(address));
}

function incompleteNote({ text }: Texts, address: string): PanelBlock[] {
  return address.startsWith('http') ? [] : [textBlock(subtext(text('setup.link.noPublicAddress')))];
}

export function rotateForm(view: ListingView, family: SecretFamily): Modal {
  const { texts, listing } = view;
  return {
    kind: 'modal',
    title: texts.text(`setup.forms.${family}Secret`),
    action: 'rotated',
    options: { ...listingOptions(view), y: family },
    fields: [secretField(texts, listing.site)],
  };
}

/** The new secret, shown once. */
export function renderRotated(view: ListingView, family: SecretFamily, secrets: GeneratedSecrets): Panel {
  const { text } = view.texts;
  return panel(
    'good',
    text('setup.listing.rotateTitle'),
    [
      ...addressBlocks(view, secrets, [family]),
      textBlock(lines(text('setup.listing.rotated'), subtext(text('setup.link.once')))),
    ],
    [
      button(text('setup.buttons.dropSecrets'), 'drop', { ...listingOptions(view), y: family }),
      button(text('setup.sections.listing'), 'section', { ...listingOptions(view), s: 'listing' }),
    ],
  );
}

export function renderUnlink(view: ListingView): Panel {
  const { text } = view.texts;
  return panel(
    'bad',
    text('setup.listing.unlinkTitle', { name: escapedName(displayName(view, view.listing.name)) }),
    [textBlock(text('setup.listing.unlink'))],
    [
      button(text('setup.buttons.confirmUnlink'), 'unlinked', listingOptions(view), 'danger'),
      button(text('setup.buttons.cancel'), 'section', { ...listingOptions(view), s: 'listing' }),
    ],
  );
}

/**
 * The form with what is not needed to link a listing: own secrets; on another site what its API and its vote page need. A
 * field that stays empty changes nothing.
 */
export function detailsForm(view: ListingView): Modal {
  const { listing } = view;

  const { site, kind } = listing;
  const text = { kind: 'text', required: false } as const;
  const secret = { ...text, name: 'secret', label: view.texts.text('setup.fields.voteSecret'), maxLength: 200 };
  const siteKey = {
    ...text,
    name: 'siteKey',
    label: view.texts.text('setup.fields.siteKey'),
    description: view.texts.text('setup.hints.siteKey'),
    maxLength: 1000,
  };
  const slug = {
    ...text,
    name: 'slug',
    label: view.texts.text('setup.fields.slug'),
    description: view.texts.text('setup.hints.slug'),
    maxLength: 100,
  };
  const asked: readonly ModalField[] =
    site === null
      ? [secret, { ...secret, name: 'premiumSecret', label: view.texts.text('setup.fields.premiumSecret') }]
      : [secret, ...(takesKey(listing) ? [siteKey] : []), ...(needsSlug(site, kind) ? [slug] : [])];
  return {
    kind: 'modal',
    title: view.texts.text('setup.buttons.more'),
    action: 'more-saved',
    options: listingOptions(view),
    fields: asked,
  };
}

/** Whether the site of a listing says who has voted to those who have a token of it. */
function takesKey({ site, kind }: Pick<ListingSettings, 'site' | 'kind'>): boolean {
  return site !== null && missingFor({ site: site.id, kind, id: '', key: null }) === 'key';
}

function needsSlug(site: Site, kind: ListingSettings['kind']): boolean {
  const hasPage = (slug: string | null) => site.votePage({ kind, id: '1', slug }) !== null;
  return hasPage('name') && !hasPage(null);
}

/** In a new message, because the secret in the first one is shown only there. */
export async function saveDetails(view: ListingView): Promise<Panel> {
  const { input, listing, services } = view;
  const entered = (name: string) => textField(input, name) || null;
  const saving = services.settings.describe({
    ...authorOf(view),
    listing: listing.name,
    details: {
      voteSecret: entered('secret'),
      premiumSecret: entered('premiumSecret'),
      siteKey: entered('siteKey'),
      slug: entered('slug'),
    },
  });
  return { ...(await showSaved(view, saving, { section: 'listing' })), response: 'new' };
}
