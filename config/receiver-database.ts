import { InvalidConfigError } from './schema.ts';

/** The path of the SQLite file of a receiver, which may be written as in `DATABASE_URL`. @throws InvalidConfigError */
export function readReceiverDatabase(database: string): string {
  const path = database.replace(/^sqlite:/, '');
  if (path !== '' && !/^\w+:\/\//.test(path)) return path;
  const hint = 'Set it to the path of a file. For a database server, use createApp with TALLYHOOK_ROLES=receive.';
  throw new InvalidConfigError([{ setting: 'database', problem: 'is not the path of a file.', hint }]);
}
