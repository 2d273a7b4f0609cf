import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LocalDiscord } from '../discord/local-discord-interface.ts';
import type { BotClient } from './interface.ts';

/** Turns of the event loop in which a bot goes on after its reply, for example with a collector. */
const turnsAfterAnswer = 50;
/** For a bot that replies through another client than the given one: then nothing tells that it has read the answer. */
const maxTurns = 5_000;

const isCallback = (path: string) => path.startsWith('/interactions/');

/**
 * A bot creates a collector after it has read Discord's answer to its reply, which is after a test sees the reply. What
 * is returned resolves when the client has read as many answers as it sent replies, some turns of the event loop later.
 */
export function watchAnswers(client: BotClient, discord: LocalDiscord): () => Promise<void> {
  let read = 0;
  client.rest.on('response', ({ path }) => {
    if (isCallback(path)) read += 1;
  });
  const sent = () => discord.requests.filter(({ path }) => isCallback(path)).length;
  return async () => {
    for (let turn = 0; read < sent() && turn < maxTurns; turn += 1) await nextTurn();
    for (let turn = 0; turn < turnsAfterAnswer; turn += 1) await nextTurn();
  };
}
