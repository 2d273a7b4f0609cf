import { z } from 'zod';
import type { Config } from '../../config/schema.ts';
import { InvalidConfigError } from '../platform/invalid-config-error.ts';
import { callback, checkOptions, clock, instance, log } from '../platform/options.ts';
import type { AppDependencies } from './app-interface.ts';

const present = z.custom((value) => value !== undefined, 'it is part of every result of loadConfig');

const config = z.strictObject({
  ...{ roles: present, discord: present, lookup: present, listings: present, base: present, reminders: present },
  ...{ keep: present, databaseUrl: present, cacheUrl: present, http: present, publicUrl: present },
  ...{ clientSecret: present, encryption: present, ownerToken: present, logLevel: present, logFormat: present },
  ...{ tracing: present, warnings: present, secrets: present, linkedQuota: present },
} satisfies Record<keyof Config, z.ZodType>);

const dependencies = z.strictObject({
  clock,
  log,
  onRecorded: callback.optional(),
  onAttempted: callback.optional(),
  wrapListener: callback.optional(),
  redact: z.custom<object>((value) => typeof value === 'object' || typeof value === 'function').optional(),
  handlers: z
    .strictObject({
      onVote: callback.optional(),
      onPremium: callback.optional(),
      onStreak: callback.optional(),
      onMilestone: callback.optional(),
      onPurchase: callback.optional(),
      onReview: callback.optional(),
    })
    .optional(),
  client: instance.optional(),
  commands: z.array(instance).optional(),
  texts: instance.optional(),
  tracing: instance.optional(),
  stopwatch: clock.optional(),
} satisfies Record<keyof AppDependencies, z.ZodType>);

/** Checks what a caller passes to `createApp`. @throws InvalidConfigError with all issues */
export function checkAppOptions(settings: unknown, options: unknown): void {
  checkConfig('createApp', settings);
  checkOptions('createApp', options, dependencies, ([option]) =>
    option === undefined ? 'Pass { clock: systemClock, log: createLog({ … }) } as the second argument.' : 'Correct it.',
  );
}

/** Checks that a value is a configuration. @throws InvalidConfigError with all issues */
export function checkConfig(caller: string, settings: unknown): void {
  const isConfig = typeof settings === 'object' && settings !== null && Object.keys(config.shape).some(isIn(settings));
  if (!isConfig) {
    const problem = 'is not a configuration.';
    const hint = `Pass the result of loadConfig, which reads the environment: ${caller}(loadConfig(…), …).`;
    throw new InvalidConfigError([{ setting: 'config', problem, hint, path: [] }], caller);
  }
  checkOptions(caller, settings, config, () => 'Pass the result of loadConfig, with your changes.');
}

function isIn(value: object): (key: string) => boolean {
  return (key) => key in value;
}
