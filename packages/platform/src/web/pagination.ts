/** One page of a list, newest first: at most `limit` rows, older than the row with the id `before`. */
export interface PageRequest {
  readonly limit: number;
  readonly before: number | null;
}

export interface ResultPage<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** The id to send as `before` for the next page; null on the last page. */
  readonly next: number | null;
}

/** Queries one row more than the page shows: only that row proves that there is a next page. */
export async function paginate<Query extends PageRequest, Row extends { readonly id: number }>(
  query: Query,
  findRows: (query: Query) => Promise<readonly Row[]>,
): Promise<ResultPage<Row>> {
  const candidates = await findRows({ ...query, limit: query.limit + 1 });
  const rows = candidates.slice(0, query.limit);
  return { rows, next: candidates.length > rows.length ? (rows.at(-1)?.id ?? null) : null };
}
