import { appendFileSync } from 'node:fs';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';

/*
 * Receives votes and handles them, with the settings of the environment, until it is killed. A handler awards a credit
 * and writes the id of its call and the voter to the file in the first argument. Prints its URL.
 */
const [, , path = ''] = process.argv;
const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => process.stderr.write(line) } });
const app = await createApp(loadConfig(process.env), {
  clock: systemClock,
  log,
  handlers: {
    async onVote({ userId }, { id, ledger }) {
      await ledger.award({ userId, credits: 1, reason: 'handled', key: id });
      appendFileSync(path, `${id} ${userId}\n`);
    },
  },
});
process.stdout.write(`${await app.start()}\n`);
