import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../commands/setup/view.ts';
import type { SettingSpec } from '../../../src/core/settings/setting-spec.ts';
import { ruleText } from '../../../src/core/settings/value-schemas.ts';
import { parseSetting, settings } from '../../../src/features/settings.ts';
import { textsIn } from '../../../src/texts/texts.ts';

const [english, german, japanese] = [textsIn('en-US'), textsIn('de'), textsIn('ja')];

function problemsOf({ path, isShared }: Pick<SettingSpec, 'path' | 'isShared'>, value: unknown) {
  const parsed = parseSetting(isShared ? '' : 'harbour', path, value);
  return parsed.valid ? [] : parsed.problems;
}

/** A member's answer to a value, in a language. */
function answer(path: string, value: unknown, texts: typeof english, spec: Partial<SettingSpec> = {}) {
  const issues = problemsOf({ path, ...spec }, value);
  return issues.map((issue) => {
    const setting = { listing: null, path, code: 'invalid', hint: null, ...issue } as const;
    const { text, hint } = problemOf(setting, { texts, listingNames: new Map() });
    return hint === null ? text : `${text} | ${hint}`;
  });
}

const typed = (settings as readonly SettingSpec[]).flatMap((spec) =>
  (spec.fields ?? []).flatMap((field) =>
    ['number', 'text', 'longText', 'timeZone'].includes(field.kind) ? [[field.name, spec, field] as const] : [],
  ),
);

describe('what a value has to be', () => {
  it.each(typed)('is a rule for the field %s, in every language', (_name, spec, { part, kind }) => {
    const wrong = kind === 'number' ? 'ten' : '{nonsense}';
    const problems = problemsOf(spec, part === undefined ? wrong : { [part]: wrong });
    const { rule = null } = problems.find(({ position }) => part === undefined || position?.at(-1) === part) ?? {};
    if (rule === null) throw new Error(`There is no rule for ${spec.path}.`);
    const said = [english, german, japanese].map((texts) => ruleText(rule, texts));
    expect(new Set(said).size).toBe(3);
    expect(said.join()).not.toMatch(/undefined|\[object/);
  });

  it('names the field, with grouped numbers', () => {
    expect(answer('rewards.vote', -1, english)).toEqual([
      '**Credits per vote**: Enter a whole number from 0 to 1,000,000.',
    ]);
    expect(answer('rewards.vote', -1, german)).toEqual([
      '**Credits pro Vote**: Gib eine ganze Zahl von 0 bis 1.000.000 ein.',
    ]);
  });

  it('names all placeholders that are not possible at once, with what was meant', () => {
    expect(answer('announcements.text', '{user} and {mentoin}', english)).toEqual([
      '**Text**: Not possible here: {user}, {mentoin}. Did you mean {mention}?',
    ]);
    expect(answer('announcements.title', '{nonsense}', japanese)).toEqual([
      expect.stringMatching(/\{listing\}、\{site\}、/),
    ]);
  });

  it('suggests a time zone', () => {
    const shared = { isShared: true } as const;
    expect(answer('timeZone', 'Berlni', english, shared)).toEqual([
      '**Time zone**: Berlni is not a time zone. Did you mean Europe/Berlin?',
    ]);
  });

  it('has the positions of equal codes, but not the codes', () => {
    const problems = parseSetting('', 'shop.key.codes', ['AAA', 'BBB', 'AAA']);
    expect(JSON.stringify(problems)).not.toContain('AAA');
    expect(problems).toMatchObject({ problems: [{ rule: { name: 'sameCode', values: { position: 3, first: 1 } } }] });
  });

  it('is said in English, below a sentence in the language of the member, of what only files can have', () => {
    expect(answer('rewards.streak', { every: 7, credits: 5, colour: 1 }, german, { isShared: true })).toEqual([
      '**Streak**: Dieser Wert ist hier nicht möglich. | is invalid: it contains "colour", which is not a setting.',
    ]);
  });
});
