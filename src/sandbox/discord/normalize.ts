import type { ActionRow, Button, Embed, Select } from './message-schema.ts';

/** Converts payloads to the form in which Discord stores them: without empty fields, with defaults. */

export type Normalized<Part> = { readonly [Key in keyof Part]: Exclude<Part[Key], null> };

export type NormalizedEmbed = Normalized<Embed> & { readonly type: 'rich' };
export type NormalizedRow = Omit<ActionRow, 'components'> & {
  readonly id: number;
  readonly components: NormalizedComponent[];
};
type NormalizedComponent = Normalized<Button | Select> & { readonly id: number };

export function normalizeEmbeds(embeds: readonly Embed[] | null | undefined): NormalizedEmbed[] {
  return (embeds ?? []).map((embed) => {
    const fields = embed.fields?.map((field) => ({ ...field, inline: field.inline ?? false }));
    return { ...normalize({ ...embed, ...(fields && { fields }) }), type: 'rich' };
  });
}

/** "If the id is omitted, it is generated": ascending from 1, skipping used ids. Discord: "Anatomy of a Component". */
export function normalizeComponents(rows: readonly ActionRow[] | null | undefined): NormalizedRow[] {
  const usedIds = new Set((rows ?? []).flatMap((row) => [row, ...row.components]).map(({ id }) => id));
  let last = 0;
  const next = () => {
    do last += 1;
    while (usedIds.has(last));
    return last;
  };
  return (rows ?? []).map((row) => ({
    type: row.type,
    id: row.id || next(),
    components: row.components.map((each) => {
      const bounds = each.type === 2 ? {} : { min_values: each.min_values ?? 1, max_values: each.max_values ?? 1 };
      return { ...normalize(each), ...bounds, id: each.id || next() } as NormalizedComponent;
    }),
  }));
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
