import { createApp } from 'tallyhook';
import { type CustomCommand, escapeText, markup } from 'tallyhook/discord';

/** `/daily`: credits once a day, however often it is used. */
const daily: CustomCommand = {
  name: 'daily',
  visibility: 'private',
  describe: () => ({ description: 'Collect 5 credits, once a day.', options: [] }),
  async execute({ userId }) {
    const today = new Date().toISOString().slice(0, 10);
    const award = { userId, credits: 5, reason: 'daily credits', key: `daily ${userId} ${today}` };
    const { balance, repeated } = await app.ledger.award(award);
    if (repeated) return { tone: 'wait', text: markup`You have collected today's credits. Come back tomorrow.` };
    return { tone: 'good', text: markup`+5 credits. Your balance was ${escapeText(String(balance - 5))}.` };
  },
};

export const app = await createApp.fromEnvironment(process.env, {
  commands: [daily],
  texts: { en: { 'credits.title': 'Your coins' }, de: { 'credits.title': 'Deine Münzen' } },
});
await app.start();

process.once('SIGTERM', () => void app.stop());
