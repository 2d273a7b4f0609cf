import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { type DiscordRest, orElse } from '../rest.ts';

/** How Discord sends interactions to the application. */
export interface EndpointSettings {
  /** Null if they are sent through the gateway. */
  readonly url: string | null;
  /** The key of their signatures (64 hexadecimal digits). */
  readonly publicKey: string;
}

const application = z.object({
  interactions_endpoint_url: orElse(z.string(), null),
  verify_key: z.string().toLowerCase(),
});

/** Throws what {@link DiscordRest} throws, and ZodError for a response of another shape. */
export async function fetchEndpointSettings(rest: DiscordRest): Promise<EndpointSettings> {
  const { interactions_endpoint_url: url, verify_key } = application.parse(await rest.get(Routes.currentApplication()));
  return { url, publicKey: verify_key };
}

/** Null sends interactions through the gateway. Discord checks a URL before it accepts it. Throws like {@link fetchEndpointSettings}. */
export async function setEndpoint(rest: DiscordRest, url: string | null): Promise<void> {
  await rest.patch(Routes.currentApplication(), { interactions_endpoint_url: url });
}

/** Why commands cannot be received, or may not be. */
export interface EndpointProblem {
  readonly level: 'warn' | 'fail';
  readonly problem: string;
  readonly hint: string;
}

/** What a process that answers needs. `publicKey` null receives through the gateway; `url` null if it is not known. */
interface ExpectedEndpoint {
  readonly publicKey: string | null;
  readonly url: string | null;
}

/** Logs why this process will receive no commands, if Discord sends them elsewhere. Never rejects. */
export async function warnOfEndpoint(
  expected: ExpectedEndpoint,
  { rest, log }: { readonly rest: DiscordRest; readonly log: Log },
): Promise<void> {
  try {
    const problem = findEndpointProblem(await fetchEndpointSettings(rest), expected);
    if (problem === null) return;
    const level = problem.level === 'fail' ? 'error' : 'warn';
    log[level]({ reason: problem.problem, hint: problem.hint }, 'commands may not be received');
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the endpoint of commands could not be checked');
  }
}

/** Compares what Discord does with the settings of a process that answers; null if they fit. */
export function findEndpointProblem(actual: EndpointSettings, expected: ExpectedEndpoint): EndpointProblem | null {
  const { publicKey } = expected;
  if (publicKey === null) {
    if (actual.url === null) return null;
    return {
      level: 'fail',
      problem: `Discord sends commands to ${actual.url}, so the gateway receives none.`,
      hint: 'Set DISCORD_PUBLIC_KEY to receive them over HTTP, or run `tallyhook register --gateway`.',
    };
  }
  if (actual.publicKey !== publicKey) {
    return {
      level: 'fail',
      problem: 'DISCORD_PUBLIC_KEY is not the key of this application.',
      hint: `Set it to ${actual.publicKey}, and check that DISCORD_TOKEN belongs to the same application.`,
    };
  }
  if (actual.url === null) {
    return {
      level: 'warn',
      problem: 'DISCORD_PUBLIC_KEY is set, but Discord has no endpoint to send commands to.',
      hint: 'Run `tallyhook register --http` while tallyhook is running, or remove DISCORD_PUBLIC_KEY to use the gateway.',
    };
  }
  if (expected.url !== null && actual.url !== expected.url) {
    return {
      level: 'warn',
      problem: `Discord sends commands to ${actual.url}, not to ${expected.url}.`,
      hint: 'Run `tallyhook register --http`, or correct PUBLIC_URL.',
    };
  }
  return null;
}
