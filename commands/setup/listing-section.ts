import type { Modal, Panel, PanelBlock } from '../../src/discord/commands/reply.ts';
import type { GeneratedSecrets, ListingSettings, SecretFamily } from '../../src/features/setup/community.ts';
import { bold, joined, lines, type Markup, subtext } from '../../src/texts/markup.ts';
import { takesKey } from './details.ts';
import { secretField, trustText } from './link-site.ts';
import { panel } from './results.ts';
import { settingName } from './values.ts';
import { button, displayName, escapedName, listingOptions, listingTitle, type SetupView, textBlock } from './view.ts';

export const families = ['vote', 'premium'] as const satisfies readonly SecretFamily[];

/** A listing with its addresses, and what changes its key and secrets. */
export function renderListing(view: SetupView): Panel {
  const { listing, texts } = view;
  const { buttons, listing: own, values } = texts.setup;
  if (listing === null) return panel('bad', texts.setup.problems.unknownListing, [], []);
  const { site } = listing;
  const options = listingOptions(view);
  const count = (path: string, secrets: number) =>
    joined([bold(settingName(path, texts)), values.stored(secrets)], ': ');
  const isOwn = listing.origin === 'setup';
  const withOld = listing.voteSecrets > 1 ? 'vote' : listing.premiumSecrets > 1 ? 'premium' : null;
  return panel(
    'plain',
    escapedName(listingTitle(view, listing)),
    [
      textBlock(
        site === null
          ? lines(
              own.key(listing.hasLookupKey),
              count('voteSecrets', listing.voteSecrets),
              count('premiumSecrets', listing.premiumSecrets),
            )
          : lines(
              trustText(texts, site),
              count('voteSecrets', listing.voteSecrets),
              takesKey(listing) ? count('siteKey', Number(listing.hasSiteKey)) : null,
            ),
      ),
      ...addressBlocks(view, listing, null),
      ...(isOwn ? [] : [textBlock(subtext(own.operators))]),
      {
        kind: 'buttons',
        buttons: [
          button(buttons.tests, 'test', options, 'primary'),
          ...(isOwn
            ? [
                ...(site === null ? [button(buttons.newKey, 'key', options)] : []),
                button(buttons.voteSecret, 'rotate', { ...options, y: 'vote' }),
                site === null
                  ? button(buttons.premiumSecret, 'rotate', { ...options, y: 'premium' })
                  : button(buttons.more, 'more', options),
                ...(withOld === null ? [] : [button(buttons.dropSecrets, 'drop', { ...options, y: withOld })]),
              ]
            : []),
        ],
      },
    ],
    [
      ...(isOwn ? [button(buttons.unlink, 'unlink', options, 'danger')] : []),
      button(buttons.overview, 'overview', options),
    ],
  );
}

/** The addresses for the dashboard of the service or site, with the secrets if they are new. */
export function addressBlocks(
  { texts }: SetupView,
  { addresses, premiumSecrets }: ListingSettings,
  secrets: GeneratedSecrets | null,
  // Premium events are not received without a secret of their own.
  shown: readonly SecretFamily[] = premiumSecrets === 0 ? ['vote'] : families,
): PanelBlock[] {
  const { link } = texts.setup;
  const ofFamily = (family: SecretFamily, address: string): Markup => {
    const secret = secrets?.[`${family}Secret`] ?? null;
    return lines(
      joined([bold(link[family]), link.address], ' · '),
      link.code(address),
      ...(secrets === null
        ? []
        : [joined([bold(link[family]), link.secret], ' · '), secret === null ? link.stored : link.code(secret)]),
    );
  };
  const isComplete = addresses.vote.startsWith('http');
  return [
    ...shown.flatMap((family) => {
      const address = addresses[family];
      return address === null ? [] : textBlock(ofFamily(family, address));
    }),
    ...(isComplete ? [] : [textBlock(subtext(link.noPublicAddress))]),
  ];
}

export function rotateForm({ texts, listing }: SetupView, family: SecretFamily): Modal {
  const { forms } = texts.setup;
  const { site = null } = listing ?? {};
  return {
    kind: 'modal',
    title: forms[`${family}Secret`],
    action: 'rotated',
    options: { ...listingOptions({ listing }), y: family },
    fields: [secretField(texts, site)],
  };
}

/** The new secret, shown once. */
export function renderRotated(view: SetupView, family: SecretFamily, secrets: GeneratedSecrets): Panel {
  const { listing, texts } = view;
  const { buttons, sections, listing: own, link } = texts.setup;
  if (listing === null) return renderListing(view);
  return panel(
    'good',
    own.rotateTitle,
    [...addressBlocks(view, listing, secrets, [family]), textBlock(lines(own.rotated, subtext(link.once)))],
    [
      button(buttons.dropSecrets, 'drop', { ...listingOptions(view), y: family }),
      button(sections.listing, 'section', { ...listingOptions(view), s: 'listing' }),
    ],
  );
}

export function renderUnlink(view: SetupView): Panel {
  const { listing, texts } = view;
  const { buttons, listing: own } = texts.setup;
  if (listing === null) return renderListing(view);
  return panel(
    'bad',
    own.unlinkTitle(escapedName(displayName(view, listing.name))),
    [textBlock(own.unlink)],
    [
      button(buttons.confirmUnlink, 'unlinked', listingOptions(view), 'danger'),
      button(buttons.cancel, 'section', { ...listingOptions(view), s: 'listing' }),
    ],
  );
}
