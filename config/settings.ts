import type { z } from 'zod';
import { discord } from './settings/discord.ts';
import { log, owners, program } from './settings/program.ts';
import { rewards } from './settings/rewards.ts';
import { channels, service, webhooks } from './settings/service.ts';
import { group, setting, text } from './settings/setting.ts';
import { storage } from './settings/storage.ts';
import { tracing } from './settings/tracing.ts';

const files = group('More than variables', {
  TALLYHOOK_CONFIG: setting({
    schema: text,
    expected: 'the path of a JSON file (its schema: `tallyhook config --schema`)',
    wish: 'several listings, streaks, milestones, a shop',
    description:
      'Path of a JSON file with [listings](#several-listings), their rewards and a shop (its schema: `tallyhook config --schema`). It replaces the keys and secrets above.',
  }),
});

/** Groups of settings, in the order of the documentation. */
export const settingGroups = [
  discord,
  service,
  webhooks,
  channels,
  rewards,
  storage,
  program,
  owners,
  log,
  tracing,
  files,
] as const;

/** All settings, in the order in which issues are reported. */
export const settings = {
  ...discord.settings,
  ...service.settings,
  ...webhooks.settings,
  ...channels.settings,
  ...rewards.settings,
  ...storage.settings,
  ...program.settings,
  ...owners.settings,
  ...log.settings,
  ...tracing.settings,
  ...files.settings,
} as const;

export type SettingName = keyof typeof settings;
/** Parsed values; undefined if the value is invalid, or if the setting is unset and has no default. */
export type Values = { readonly [Name in SettingName]: z.infer<(typeof settings)[Name]['schema']> | undefined };

export const settingNames = Object.keys(settings) as SettingName[];

/** Where the value of a setting comes from. */
export type SettingSource = 'environment' | 'file' | 'default' | 'unset';
