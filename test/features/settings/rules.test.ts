import { setImmediate as turn } from 'node:timers/promises';
import { day, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it } from 'vitest';
import { setupSections } from '../../../commands/setup/sections.ts';
import { escapedName, problemOf, settingName } from '../../../commands/setup/view.ts';
import { loadConfig } from '../../../config/load.ts';
import type { SettingSpec } from '../../../src/core/settings/setting-spec.ts';
import { ruleText } from '../../../src/core/settings/value-schemas.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { type ComparedSettings, createChangeSimulation } from '../../../src/features/settings/services.ts';
import { parseSetting, type SettingPath, settings } from '../../../src/features/settings.ts';
import type { RuleChange, SimulatedCredits } from '../../../src/features/simulation/feature.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupOver } from '../../support/setup-over.ts';

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

const isText = (each: PropertyKey) => typeof each === 'string';

describe('the forms of /setup', () => {
  const forms = setupSections.flatMap((section) => section.forms);

  it.each(forms)('have at most the five fields that Discord shows: $name', ({ fields }) => {
    expect(fields({ texts: english, value: () => undefined, entry: null, variant: null }).length).toBeLessThan(6);
  });

  it('have every setting that has fields, by a name', () => {
    const editable = (settings as readonly SettingSpec[]).filter((spec) => spec.fields !== undefined);
    expect(forms.flatMap(({ paths }) => paths)).toEqual(expect.arrayContaining(editable.map(({ path }) => path)));
    for (const { path } of editable) expect(settingName(path, english)).not.toBe(escapedName(path));
  });
});

describe('what a value has to be', () => {
  it.each(typed)('is a rule for the field %s, in every language', (_name, spec, { part, kind, isList }) => {
    const text = kind === 'number' ? 'ten' : '{nonsense}';
    const wrong = isList ? [text] : text;
    const problems = problemsOf(spec, part === undefined ? wrong : { [part]: wrong });
    const { rule = null } =
      problems.find(({ position }) => part === undefined || position?.findLast(isText) === part) ?? {};
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

const guildId = '613425648685547541';
const paid = { before: 10, after: 20 };

/** Changes settings of a guild, whose simulations are left to the test. */
async function changes(simulate: (change: RuleChange) => Promise<SimulatedCredits | null>) {
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onFinished(() => store.close());
  const rewards = { vote: 10, streak: { every: 7, credits: 50 } };
  const environment = environmentWith([{ ...harbour, guildId, rewards }]);
  const setup = setupOver(store, environment);
  const { log, logged } = collectingLog();
  const simulateChange = createChangeSimulation({
    ...{
      setup,
      directory: createDirectory(loadConfig(environment).listings, communityIdsOf(loadConfig(environment).listings)),
    },
    ...{ store: { simulation: { simulateCredits: simulate } }, clock, stopwatch: clock, log },
  });
  let saves = 0;
  async function save(listing: string | null, path: SettingPath, value: unknown) {
    saves += 1;
    const author = { guildId, authorId: '1', interactionId: String(saves) };
    const result = await setup.save({ ...author, basis: null, changes: [{ listing, path, value }] });
    if (result.status !== 'saved') throw new Error(JSON.stringify(result));
    return {
      before: result.change.changes.map((each) => ({ ...each, listing: each.listing ?? '', value: each.before })),
    };
  }
  return { clock, logged, save, simulateChange: (compared: ComparedSettings) => simulateChange(guildId, compared) };
}

describe('the simulation of a change', () => {
  it('has the rules of file and /setup, before and after that change alone', async () => {
    const asked: RuleChange[] = [];
    const { clock, save, simulateChange } = await changes(async (change) => {
      asked.push(change);
      return paid;
    });
    await save('harbour', 'rewards.vote', 25);
    expect(await simulateChange(await save(null, 'rewards.streak', null))).toEqual(paid);
    const [
      {
        before: [before],
        after: [after],
        since,
        communityId,
        maxEntries,
      } = { before: [], after: [] },
    ] = asked;
    expect(before?.rewards).toMatchObject({ base: { perVote: 25 }, streak: { every: 7, credits: 50 } });
    expect(after?.rewards).toMatchObject({ base: { perVote: 25 }, streak: null });
    expect([since, communityId, maxEntries]).toEqual([clock.now() - 30 * day, firstCommunity, 20_000]);
  });

  it('is not made for settings that pay nobody otherwise', async () => {
    const { save, simulateChange } = await changes(() => Promise.reject(new Error('It was made.')));
    expect(await simulateChange(await save(null, 'ownerChannelId', '500000000000000001'))).toBe(null);
    expect(await simulateChange(await save('harbour', 'rewards.voterRole', { role: '71', for: '1d' }))).toBe(null);
  });

  it('is made for what is paid at the end of a period', async () => {
    const { save, simulateChange } = await changes(async () => paid);
    const prizes = [{ per: 'week', by: 'votes', places: [{ from: 1, credits: 100 }] }];
    expect(await simulateChange(await save(null, 'rewards.prizes', prizes))).toEqual(paid);
  });

  it('is given up after two seconds, and where it fails, which is logged', async () => {
    const signals: AbortSignal[] = [];
    const pending = Promise.withResolvers<never>();
    const { clock, logged, save, simulateChange } = await changes(({ signal }) => {
      signals.push(signal);
      return pending.promise;
    });
    const change = await save('harbour', 'rewards.vote', 25);
    const late = simulateChange(change);
    // Another one does not wait for it.
    expect(await simulateChange(change)).toBe(null);
    while (signals.length === 0) await turn();
    await clock.advance(2 * second);
    expect(await late).toBe(null);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    pending.reject(new Error('The database is gone.'));
    expect(await simulateChange(change)).toBe(null);
    expect(logged.map(({ reason }) => reason)).toEqual(['no answer within 2000 ms', 'The database is gone.']);
  });
});
