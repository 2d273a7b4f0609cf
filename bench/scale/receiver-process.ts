/**
 * The process of one receiver: `receiver-process.ts <settings as JSON> [receive]`. The whole program, or with `receive`
 * the role that neither connects to Discord nor processes the outbox.
 */
import { createServer } from 'node:http';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { serveParent } from '../process/child-server.ts';
import { listen } from '../process/listen.ts';

const [settings = '{}', role] = process.argv.slice(2);
const receivesOnly = role === 'receive';
const config = loadConfig({ ...JSON.parse(settings), ...(receivesOnly && { TALLYHOOK_ROLES: role }) });
const log = createLog({ level: config.logLevel, secrets: config.secrets });
const app = await createApp(config, { clock: systemClock, log });
const url = await app.start({ listen: !receivesOnly });
const port = url === null ? await listen(createServer(app.http)) : Number(new URL(url).port);
serveParent({ port: () => port });
