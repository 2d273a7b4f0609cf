import type { ActionRow, Button, Embed, Select } from './limits.ts';

/** A form as a message keeps it: without what was left empty, and with what Discord fills in. */

export type Filled<Part> = { readonly [Key in keyof Part]: Exclude<Part[Key], null> };

export type KeptEmbed = Filled<Embed> & { readonly type: 'rich' };
export type KeptRow = Omit<ActionRow, 'components'> & { readonly id: number; readonly components: KeptComponent[] };
type KeptComponent = Filled<Button | Select> & { readonly id: number };

export function keptEmbeds(embeds: readonly Embed[] | null | undefined): KeptEmbed[] {
  return (embeds ?? []).map((embed) => {
    const fields = embed.fields?.map((field) => ({ ...field, inline: field.inline ?? false }));
    return { ...filled({ ...embed, ...(fields && { fields }) }), type: 'rich' };
  });
}

/** "If the id is omitted, it is generated" and counts up from 1, over all that are there. Discord: "Anatomy of a Component". */
export function keptComponents(rows: readonly ActionRow[] | null | undefined): KeptRow[] {
  const taken = new Set((rows ?? []).flatMap((row) => [row, ...row.components]).map(({ id }) => id));
  let last = 0;
  const next = () => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  return (rows ?? []).map((row) => ({
    type: row.type,
    id: row.id || next(),
    components: row.components.map((each) => {
      const picks = each.type === 2 ? {} : { min_values: each.min_values ?? 1, max_values: each.max_values ?? 1 };
      return { ...filled(each), ...picks, id: each.id || next() } as KeptComponent;
    }),
  }));
}

/** Discord leaves most fields out where they would be null. */
export function filled<Part extends object>(part: Part): Filled<Part> {
  const entries = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)])) as Filled<Part>;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? filled(value) : value;
}
