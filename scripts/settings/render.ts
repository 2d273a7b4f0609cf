import { listingsFileSchema } from '../../config/listings-file.ts';
import { settingGroups, settings, type Variable } from '../../config/settings.ts';
import { eventsJsonSchema } from '../../src/features/events/schemas.ts';
import { listingTables } from './listing-tables.ts';

type Entry = readonly [name: string, setting: Variable];
const groups = settingGroups.map((group) => ({
  title: group.title,
  entries: Object.entries<Variable>(group.settings),
}));
const first = Object.entries<Variable>(settings).filter(([, { isFirst }]) => isFirst);

/** The page with the tables between their marks. */
export function withTables(page: string): string {
  let result = page;
  for (const [name, content] of Object.entries({ variables: variableTables(), ...listingTables })) {
    const [start, end] = [`<!-- Written by scripts/settings.ts, ${name}: -->`, '<!-- To here. -->'];
    const [before, rest] = result.split(start);
    const [, ...after] = rest?.split(end) ?? [];
    if (before === undefined || after.length === 0)
      throw new Error(`docs/configuration.md has no "${start}" … "${end}".`);
    result = `${before}${start}\n\n${content}\n\n${end}${after.join(end)}`;
  }
  return result;
}

function variableTables(): string {
  const sections = [
    ['### The one that you need', table(first)],
    ...groups.map(({ title, entries }) => [`### ${title}`, table(entries.filter(([, { isFirst }]) => !isFirst))]),
  ];
  return sections.flat().join('\n\n');
}

function table(entries: readonly Entry[]): string {
  const rows = entries.map(([name, setting]) => {
    const value = setting.default === undefined ? '–' : `\`${setting.default}\``;
    return `| ${setting.wish} | \`${name}\` | ${value} | ${setting.description} |`;
  });
  return ['| I want … | variable | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

const introduction = [
  "Settings of tallyhook. Copy this file to .env and fill in your values; settings that you leave out have their defaults. For every NAME you can set NAME_FILE instead, the path of a file that contains the value (for a secret: chmod 600, so that other users of the machine cannot read it). Put values that contain #, $ or spaces in 'single quotes'. `npm run tallyhook config` shows the settings in effect (outside of a clone: `npx tallyhook config`).",
  `${first.map(([name]) => name).join(' and ')} is enough: /setup in Discord links a listing, with its webhooks, channels and rewards. For a listing of the service with the lookup API, set LOOKUP_BASE_URL as well.`,
];

/** `.env.example`, a comment above each setting. */
export function renderExample(): string {
  const sections = groups.map(({ title, entries }) => {
    const parts = entries.map(([name, setting]) => [
      ...comment(setting.description),
      `${setting.isFirst ? '' : '#'}${name}=${setting.default ?? ''}`,
    ]);
    return [`# ── ${title} `.padEnd(80, '─'), ...parts.flat()].join('\n');
  });
  return `${[introduction.flatMap(comment).join('\n'), ...sections].join('\n\n')}\n`;
}

/** Markdown as lines of a comment: without marks of code, and with the file that a link leads to. */
function comment(markdown: string): readonly string[] {
  const plain = markdown
    .replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1')
    .replaceAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g, '$1 (docs/$2)')
    // A command stays on one line.
    .replaceAll(/`([^`]*)`/g, (_, code: string) => code.replaceAll(' ', '\u00A0'));
  const lines: string[] = [];
  for (const word of plain.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 100) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.map((line) => line.replaceAll('\u00A0', ' '));
}

/** `docs/tallyhook.schema.json`, the JSON Schema of the file of `TALLYHOOK_CONFIG`. */
export function renderSchema(): string {
  return `${JSON.stringify(listingsFileSchema(), null, 2)}\n`;
}

/** `docs/events.schema.json`, the JSON Schema of the events that other programs hear. */
export function renderEventsSchema(): string {
  return `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`;
}
