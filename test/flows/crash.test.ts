import { expectToSurviveKills } from './crash/on-databases.ts';

/* A few kills at the most telling moments; the others, and those on PostgreSQL, are in crash.full.test.ts. */
expectToSurviveKills(['announcement', 'handler', 'purchase'], []);
