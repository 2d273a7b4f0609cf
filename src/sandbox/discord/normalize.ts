import type { ActionRow, Button, Embed, Select } from './message-schema.ts';

/** A form as a message keeps it: without what was left empty, and with what Discord fills in. */

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

/** "If the id is omitted, it is generated" and counts up from 1, over all that are there. Discord: "Anatomy of a Component". */
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

/** Discord leaves most fields out where they would be null. */
export function normalize<Part extends object>(part: Part): Normalized<Part> {
  const entries = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, normalizeValue(value)])) as Normalized<Part>;
}

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeValue);
  return typeof value === 'object' && value !== null ? normalize(value) : value;
}
