import { momentNames } from './crash/moments.ts';
import { expectToSurviveKills } from './crash/on-databases.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? momentNames.length);
const moments = Array.from({ length: rounds }, (_, index) => momentNames[index % momentNames.length] ?? 'commit');

// Fewer on PostgreSQL, because each starts two programs.
expectToSurviveKills(moments, moments.slice(0, Math.ceil((2 * rounds) / 3)));
