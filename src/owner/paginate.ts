import type { Page } from './records.ts';

/** A stretch of a list, the newest row first. */
export interface ResultPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next one begins: the id to give as `before`; null on the last one. */
  readonly next: number | null;
}

/** Asks for one row more than is shown, because only that tells whether there is a next page. */
export async function paginate<Asked extends Page, Row extends { readonly id: number }>(
  asked: Asked,
  rowsOf: (asked: Asked) => Promise<readonly Row[]>,
): Promise<ResultPage<Row>> {
  const found = await rowsOf({ ...asked, limit: asked.limit + 1 });
  const rows = found.slice(0, asked.limit);
  return { rows, next: found.length > rows.length ? (rows.at(-1)?.id ?? null) : null };
}
