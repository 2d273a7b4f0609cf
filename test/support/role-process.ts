import { DatabaseSync } from 'node:sqlite';
import { createAnnouncer } from '../../src/discord/announcements/announcer.ts';
import { createDiscordRest, createReachabilityProbe } from '../../src/discord/rest.ts';
import { createGivenRoleCheck } from '../../src/discord/roles/given-role-check.ts';
import { createExplainRoleFailure } from '../../src/discord/roles/role-failure.ts';
import { createRoleHandler } from '../../src/discord/roles/roles.ts';
import { createDispatcher } from '../../src/outbox/dispatcher.ts';
import { createPerform } from '../../src/outbox/perform.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { openStore } from '../../src/store/store.ts';
import { textsFor } from '../../src/texts/texts.ts';

/*
 * A process that carries out role effects until it is killed. Arguments: URL of the database, path of a SQLite file with
 * the table `wanted (user_id, role)`, URL of Discord's API, token.
 */
const [, , databaseUrl = '', wantedPath = '', apiUrl = '', token = ''] = process.argv;
const store = await openStore(databaseUrl, clock, { thread: false });
const wanted = new DatabaseSync(wantedPath, { timeout: 5_000 });
const find = wanted.prepare('SELECT 1 FROM wanted WHERE user_id = ? AND role = ?');
const rest = createDiscordRest({ token, apiUrl });
const textsOf = async () => textsFor(null);
const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => process.stderr.write(line) } });
const dispatcher = createDispatcher({
  outbox: store.outbox,
  perform: createPerform({
    announcement: createAnnouncer({ rest, textsOf, listingOf: async () => null, clock, log }),
    role: createRoleHandler({
      rest,
      grants: {
        wantsRole: async (userId, role) => find.get(userId, role) !== undefined,
        roleSettled: async () => {},
        isPaidFor: async () => false,
        reportOnce: async () => {},
      },
      checkGivenRole: createGivenRoleCheck(rest, clock).check,
      explainFailure: createExplainRoleFailure(rest, clock),
      textsOf,
      clock,
    }),
  }),
  isReachable: createReachabilityProbe(rest),
  clock,
  log,
  newEffectsPollMs: 100,
});
dispatcher.start();
process.stdout.write('started\n');
