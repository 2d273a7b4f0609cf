import { expectToSurviveKills } from './crash/on-databases.ts';

/* A few kills at the most telling moments; the others are in crash.full.test.ts. */
expectToSurviveKills(['announcement', 'handler', 'purchase'], ['role']);
