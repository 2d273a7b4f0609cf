/**
 * The process of one receiver: `receiver-process.ts <settings as JSON> [receive]`. The whole program, or with `receive`
 * its HTTP routes alone, which neither connect to Discord nor process the outbox.
 */
import { createServer } from 'node:http';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { serveParent } from '../process/child-server.ts';
import { listen } from '../process/listen.ts';

const [settings = '{}', role] = process.argv.slice(2);
const config = loadConfig(JSON.parse(settings));
const log = createLog({ level: config.logLevel, secrets: config.secrets });
const app = await createApp(config, { clock: systemClock, log });
const port =
  role === 'receive' ? await listen(createServer(app.http)) : Number(new URL((await app.start()) ?? '').port);
serveParent({ port: () => port });
