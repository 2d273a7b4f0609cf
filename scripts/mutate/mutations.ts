import type { Mutation } from './mutation.ts';
import { configurationMutations } from './mutations/configuration.ts';
import { discordMutations } from './mutations/discord.ts';
import { effectMutations } from './mutations/effects.ts';
import { lookupMutations } from './mutations/lookups.ts';
import { operationMutations } from './mutations/operations.ts';
import { receivingMutations } from './mutations/receiving.ts';
import { rewardMutations } from './mutations/rewards.ts';
import { sandboxMutations } from './mutations/sandbox.ts';
import { serviceMutations } from './mutations/service.ts';
import { storageMutations } from './mutations/storage.ts';

/** The faults that the tests must find, at least one for each module. */
export const mutations: readonly Mutation[] = [
  ...rewardMutations,
  ...receivingMutations,
  ...lookupMutations,
  ...effectMutations,
  ...storageMutations,
  ...configurationMutations,
  ...serviceMutations,
  ...discordMutations,
  ...operationMutations,
  ...sandboxMutations,
];
