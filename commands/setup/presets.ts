import type { SettingPath } from '../../src/features/settings.ts';
import type { TextIn } from '../../src/texts/texts.ts';

/** Rules that an owner chooses with one press. */
export interface Preset {
  /** In the id of its button, and of its name and description in the texts (`setup.buttons`, `setup.presets`). */
  readonly id: TextIn<'setup.presets'> & TextIn<'setup.buttons'>;
  readonly values: Partial<Readonly<Record<SettingPath, unknown>>>;
}

const streak = { every: 7, credits: 50, forgive: 1 };

/** In the order in which they are offered. */
export const presets: readonly Preset[] = [
  { id: 'simple', values: { 'rewards.vote': 10 } },
  {
    id: 'lively',
    values: {
      'rewards.vote': 10,
      'rewards.multipliers': [{ factor: 2, days: ['saturday', 'sunday'] }],
      'rewards.streak': streak,
    },
  },
  {
    id: 'smallServer',
    values: {
      'rewards.vote': 10,
      'rewards.firstVote': 5,
      'rewards.party': { goal: 20, per: 'week', credits: 25 },
      'rewards.raffle': { per: 'week', winners: 1, credits: 100 },
    },
  },
  {
    id: 'monthlySeason',
    values: {
      'rewards.vote': 10,
      'rewards.milestones': [{ votes: 20, per: 'month', credits: 100 }],
      'rewards.prizes': [
        {
          ...{ per: 'month', by: 'votes', minVotes: 5 },
          places: [
            { from: 1, credits: 1000 },
            { from: 2, to: 3, credits: 500 },
            { from: 4, to: 10, credits: 200 },
          ],
        },
      ],
    },
  },
  {
    id: 'minecraftStyle',
    values: {
      'rewards.vote': 10,
      'rewards.luck': [{ chance: 0.02, credits: 250, name: 'Jackpot' }],
      'rewards.allListings': 20,
      'rewards.milestones': [
        { votes: 10, credits: 100 },
        { votes: 50, credits: 300 },
        { everyVotes: 100, credits: 500 },
      ],
      'rewards.party': { goal: 50, per: 'week', credits: 25 },
    },
  },
];

const paths = [...new Set(presets.flatMap(({ values }) => Object.keys(values) as SettingPath[]))];

/** The values of the preset with this id, or of the first one; those that only others have are taken back. */
export function valuesOfPreset(id: unknown): readonly (readonly [path: SettingPath, value: unknown])[] {
  const chosen = presets.find((each) => each.id === id) ?? presets[0];
  return paths.map((path) => [path, chosen?.values[path]]);
}
