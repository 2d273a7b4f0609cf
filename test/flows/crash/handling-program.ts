import { writeSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import type { HandlerEvent } from '../../../src/core/outbox/handler-events.ts';
import type { HandlerCall } from '../../../src/features/handlers/handlers.ts';

/*
 * A program with handlers of its own, as in docs/handlers.md, with the settings of the environment. Each call prints its
 * id and its event, and awards a credit.
 */

async function handle(event: HandlerEvent, { id, ledger }: HandlerCall): Promise<void> {
  // At once, so that a killed program has printed it.
  writeSync(process.stdout.fd, `handled ${JSON.stringify({ id, event })}\n`);
  const { userId } = event;
  if (userId !== null) await ledger.award({ userId, credits: 1, reason: 'handled', key: id });
}

const config = loadConfig(process.env);
const log = createLog({ level: config.logLevel, secrets: config.secrets });
const handlers = { onVote: handle, onPremium: handle, onStreak: handle, onMilestone: handle, onPurchase: handle };
const app = await createApp(config, { clock: systemClock, log, handlers });
process.once('SIGTERM', () => void app.stop());
await app.start();
