import { fontFamily, isDrawable } from '@tallyhook/platform/pictures/fonts';
import { box, line, type Picture, type PictureNode } from '@tallyhook/platform/pictures/picture';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { initialOf, tintOf } from '../listing-parts.ts';

export interface PreviewContent {
  readonly listing: Pick<StoredListing, 'id' | 'name'>;
  /** The icon as a file; null for the first letter of the name. */
  readonly icon: Uint8Array | null;
  /** "Server · Gaming, Music" */
  readonly subtitle: string;
  /** Large, each with what it means. */
  readonly figures: readonly (readonly [value: string, label: string])[];
  readonly siteName: string;
}

/* CSS pixels, as Open Graph recommends. Discord shows the picture at a third of its width. */
export const previewSize = { width: 1_200, height: 630 };
const margin = 80;
const iconSize = 220;
const colors = { background: '#14181d', text: '#e8eaed', quiet: '#a2abb8', accent: '#6cc3d1', ground: '#1d232b' };
/** The grounds of icons without a picture, by the stylesheet. */
const tints = ['#1f5f6b', '#7a4b2a', '#4a4f8f', '#2f6b45', '#87405c', '#5c6270'];

/**
 * The picture of a listing in previews of links. Foreign names may have characters that no font here has: what cannot be
 * drawn is left out, since the preview also has the name as text.
 */
export function listingPicture(content: PreviewContent): Picture {
  const { width, height } = previewSize;
  const { listing, subtitle, figures, siteName } = content;
  const name = drawableName(listing.name);
  const texts = column({ marginLeft: 56, flexShrink: 1, minWidth: 0 }, [
    ...(name === ''
      ? []
      : [line(name, { fontSize: 76, fontWeight: 600, overflow: 'hidden', textOverflow: 'ellipsis' })]),
    ...(isDrawable(subtitle) ? [line(subtitle, { fontSize: 36, color: colors.quiet, marginTop: 12 })] : []),
  ]);
  const columns = figures.map(([value, label]) =>
    column({ marginRight: 96 }, [
      line(value, { fontSize: 88, fontWeight: 600 }),
      line(label, { fontSize: 34, color: colors.quiet, marginTop: 4 }),
    ]),
  );
  const root: PictureNode = {
    type: 'container',
    style: { width, height, position: 'relative', backgroundColor: colors.background, color: colors.text, fontFamily },
    children: [
      box({ left: 0, top: 0, width, height: 12, backgroundColor: colors.accent }),
      box(
        { left: margin, top: 84, width: width - 2 * margin, height: iconSize, display: 'flex', alignItems: 'center' },
        icon(content),
        texts,
      ),
      box({ left: margin, top: 372, width: width - 2 * margin, display: 'flex' }, ...columns),
      box(
        { left: margin, top: 556, width: width - 2 * margin, display: 'flex' },
        line(drawableName(siteName), {
          fontSize: 30,
          color: colors.accent,
          overflow: 'hidden',
          textOverflow: 'ellipsis',
        }),
      ),
    ],
  };
  return { width, height, root };
}

function icon({ listing, icon: file }: PreviewContent): PictureNode {
  const size = { width: iconSize, height: iconSize, borderRadius: 48, flexShrink: 0 };
  if (file !== null)
    return { type: 'image', src: file, style: { ...size, objectFit: 'cover', backgroundColor: colors.ground } };
  const initial = initialOf(listing.name);
  const backgroundColor = tints[tintOf(listing.id)] ?? colors.ground;
  const letter = { backgroundColor, color: '#ffffff', fontSize: 120, fontWeight: 600 };
  return {
    type: 'container',
    style: { ...size, ...letter, display: 'flex', alignItems: 'center', justifyContent: 'center' },
    children: isDrawable(initial) ? [line(initial, {})] : [],
  };
}

function column(style: PictureNode['style'], children: PictureNode[]): PictureNode {
  return { type: 'container', style: { display: 'flex', flexDirection: 'column', ...style }, children };
}

/** A name without emoji and other signs that cannot be drawn; empty if it has letters that cannot. */
export function drawableName(name: string): string {
  const drawable = Array.from(name).filter(isDrawable).join('').replace(/\s+/g, ' ').trim();
  const letters = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
  return letters(drawable) === letters(name) ? drawable : '';
}
