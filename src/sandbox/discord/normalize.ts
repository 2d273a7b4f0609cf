import type { Embed } from './message-schema.ts';

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
