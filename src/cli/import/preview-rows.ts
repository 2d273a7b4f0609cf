import { formatCount } from '../../platform/durations.ts';
import type { Fields } from './fields.ts';
import { interpretRow, type RowRules } from './interpret-row.ts';

/** Rows that are shown. */
const shownRows = 3;

/** How the first rows are understood, for people. */
export function previewRows(sample: readonly Fields[], rules: RowRules, name: string): string[] {
  const columns = Object.entries(rules.columns).map(([field, column]) => `${field} = ${column}`);
  const rows = sample.slice(0, shownRows).map((fields) => `  ${describeRow(fields, rules)}`);
  const kind = rules.rowsAre === 'votes' ? 'One vote per row' : 'One member per row';
  return [`Import "${name}". ${kind}: ${columns.join(', ')}. The first rows:`, ...rows];
}

function describeRow(fields: Fields, rules: RowRules): string {
  const row = interpretRow(fields, rules);
  if (row.type !== 'items') return `${row.type}: ${row.reason}`;
  const [first] = row.items;
  const credits = row.items.reduce((sum, item) => sum + item.credits, 0);
  const votes = row.items.flatMap(({ vote }) => vote ?? []);
  const [vote] = votes;
  const at = vote === undefined ? '' : ` for ${vote.listing} at ${new Date(vote.at).toISOString()}`;
  const counted = votes.length === 0 ? '' : `, ${formatCount(votes.length, 'vote')}${at}`;
  return `${first?.userId}: ${formatCount(credits, 'credit')}${counted}`;
}
