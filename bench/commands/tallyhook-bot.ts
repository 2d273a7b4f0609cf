/** The process of tallyhook as a bot: `tallyhook-bot.ts <settings as JSON>`. */

import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { serveParent } from '../process/child-server.ts';

const config = loadConfig(JSON.parse(process.argv[2] ?? '{}'));
const log = createLog({ level: config.logLevel, secrets: config.secrets });
const app = await createApp(config, { clock: systemClock, log });
const url = await app.start();
serveParent({ url: () => url });
