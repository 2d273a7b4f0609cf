import { momentNames } from './crash/moments.ts';
import { expectToSurviveKills } from './crash/on-databases.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? momentNames.length);
const moments = Array.from({ length: rounds }, (_, index) => momentNames[index % momentNames.length] ?? 'commit');

// Fewer on PostgreSQL, because each starts two programs: first those at which both may do the same.
const shared = ['announcement', 'role', 'purchase', 'commit', ...momentNames] as const;
expectToSurviveKills(
  moments,
  Array.from({ length: Math.ceil((4 * rounds) / 9) }, (_, index) => shared[index % shared.length] ?? 'commit'),
);
