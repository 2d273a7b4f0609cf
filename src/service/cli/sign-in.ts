import { systemClock } from '../../platform/clock.ts';
import { formatDuration, second } from '../../platform/durations.ts';
import { exitCode, type Terminal } from '../../platform/terminal/terminal.ts';
import { issueSignInToken, signInLinkTtlMs } from '../actions/sign-in.ts';
import type { Database } from '../storage/database.ts';
import { readSnowflake, readText, type ServiceValues } from './options.ts';

/** `tallyhook service sign-in` */
export async function signIn(database: Database, values: ServiceValues, { print }: Terminal): Promise<number> {
  const member = { userId: readSnowflake(values.user, '--user'), username: readText(values.name, '--name') };
  const token = await issueSignInToken(database, member, systemClock.now());
  const baseUrl = (values['public-url'] ?? 'http://127.0.0.1:4000').replace(/(?<!\/)\/+$/, '');
  const url = `${baseUrl}/sign-in/${token}`;
  if (values.json) print(JSON.stringify({ ...member, url, validSeconds: signInLinkTtlMs / second }));
  else {
    print(`Sign-in link for ${member.username}, valid once, for ${formatDuration(signInLinkTtlMs)}:`);
    print(`  ${url}`);
  }
  return exitCode.ok;
}
