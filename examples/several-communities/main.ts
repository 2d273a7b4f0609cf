import { fileURLToPath } from 'node:url';
import { createApp } from 'tallyhook';

// Each listing names the guild of its community. A member has an account in each community, and a command covers the one
// in which it is used. Further communities can be linked in Discord with /setup, without a restart.
export const app = await createApp.fromEnvironment({
  TALLYHOOK_CONFIG: fileURLToPath(new URL('listings.json', import.meta.url)),
  ...process.env,
});

/** Gives every member of a community the same present once, however often it is called. */
export async function welcome(guildId: string, userId: string): Promise<number> {
  const key = `welcome:${guildId}:${userId}`;
  const { balance } = await app.ledger.award({ key, userId, guildId, credits: 5, reason: 'Welcome' });
  return balance;
}

// Each listing has webhook addresses of its own: /webhooks/harbour and /webhooks/quarry.
export const url = await app.start();

process.once('SIGTERM', () => void app.stop());
