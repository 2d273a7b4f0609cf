import type { ActionRow, Button, Select } from './component-schema.ts';
import type { Embed } from './message-schema.ts';

/** The components of a message as Discord stores them: without empty fields, with defaults, ids and media. */

/** A picture or a file of a component. Discord: "Unfurled Media Item". */
export interface Media {
  readonly id: string;
  readonly url: string;
  readonly proxy_url: string;
  readonly content_type?: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly attachment_id?: string;
}

export type Identified<Part> = Part & { readonly id: number };

export type NormalizedControl = Identified<Normalized<Button | Select>>;
export type NormalizedRow = Identified<Omit<ActionRow, 'components' | 'id'>> & {
  readonly components: readonly NormalizedControl[];
};
export type NormalizedText = Identified<{ readonly type: 10; readonly content: string }>;
/** A picture with its description. */
export interface Shown {
  readonly media: Media;
  readonly description: string | null;
  readonly spoiler: boolean;
}
export type NormalizedThumbnail = Identified<Shown & { readonly type: 11 }>;
export type NormalizedSection = Identified<{
  readonly type: 9;
  readonly components: readonly NormalizedText[];
  readonly accessory: NormalizedControl | NormalizedThumbnail;
}>;
export type NormalizedGallery = Identified<{ readonly type: 12; readonly items: readonly Shown[] }>;
export type NormalizedFile = Identified<{
  readonly type: 13;
  readonly file: Media;
  readonly name: string | null;
  /** Bytes. */
  readonly size: number | null;
  readonly spoiler: boolean;
}>;
export type NormalizedSeparator = Identified<{
  readonly type: 14;
  readonly divider: boolean;
  readonly spacing: 1 | 2;
}>;
/** A component that a container may contain. */
export type Inner =
  | NormalizedRow
  | NormalizedSection
  | NormalizedText
  | NormalizedGallery
  | NormalizedFile
  | NormalizedSeparator;
export type NormalizedContainer = Identified<{
  readonly type: 17;
  readonly components: readonly Inner[];
  readonly accent_color: number | null;
  readonly spoiler: boolean;
}>;

/** A component as Discord stores it: without empty fields, with defaults, ids and media. */
export type NormalizedComponent = Inner | NormalizedContainer;

/** The buttons and selects of a message, wherever they are. */
export function controlsOf(components: readonly NormalizedComponent[]): NormalizedControl[] {
  return components.flatMap((part) => {
    if (part.type === 1) return part.components;
    if (part.type === 9) return part.accessory.type === 11 ? [] : [part.accessory];
    return part.type === 17 ? controlsOf(part.components) : [];
  });
}

/** The texts of a message's text displays, in order. */
export function textsOf(components: readonly NormalizedComponent[]): string[] {
  return components.flatMap((part) => {
    if (part.type === 10) return [part.content];
    return part.type === 9 || part.type === 17 ? textsOf(part.components) : [];
  });
}

/** Converts payloads to the form in which Discord stores them: without empty fields, with defaults. */

export type Normalized<Part> = { readonly [Key in keyof Part]: Exclude<Part[Key], null> };

export type NormalizedEmbed = Normalized<Embed> & { readonly type: 'rich' };
export function normalizeEmbeds(embeds: readonly Embed[] | null | undefined): NormalizedEmbed[] {
  return (embeds ?? []).map((embed) => {
    const fields = embed.fields?.map((field) => ({ ...field, inline: field.inline ?? false }));
    return { ...normalize({ ...embed, ...(fields && { fields }) }), type: 'rich' };
  });
}

/** Removes null fields, as Discord does for most fields. */
export function normalize<Part extends object>(part: Part): Normalized<Part> {
  const entries = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, normalizeValue(value)])) as Normalized<Part>;
}

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeValue);
  return typeof value === 'object' && value !== null ? normalize(value) : value;
}
