import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';

/** Pays a reached goal to everyone who voted in the period. */
export interface PartyReward {
  /** The key of the party: of the community and its period. */
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits), as they were when the goal was reached. */
  readonly goal: number;
  readonly credits: number;
  /** The calendar day of the vote that reached the goal (day number). */
  readonly day: number;
}

/** Updates the message with the progress towards the goal of a period. */
export interface PartyPanel {
  readonly channelId: string;
  readonly period: string;
}

/** Announces that the goal of a period was reached. */
export interface PartyReached {
  readonly channelId: string;
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits). */
  readonly goal: number;
  readonly credits: number;
}

export const partyRewardKind: EffectKind<'partyReward', PartyReward> = {
  kind: 'partyReward',
  ...fieldsFormat<PartyReward>({ period: ['string'], goal: ['number'], credits: ['number'], day: ['number'] }),
};

export const partyPanelKind: EffectKind<'partyPanel', PartyPanel> = {
  kind: 'partyPanel',
  ...fieldsFormat<PartyPanel>({ channelId: ['string'], period: ['string'] }),
};

export const partyReachedKind: EffectKind<'partyReached', PartyReached> = {
  kind: 'partyReached',
  ...fieldsFormat<PartyReached>({ channelId: ['string'], period: ['string'], goal: ['number'], credits: ['number'] }),
};
