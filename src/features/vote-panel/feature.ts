import type { Feature } from '../../core/feature.ts';
import type { EffectContents } from '../../core/outbox/effect-contents.ts';
import { fieldsFormat } from '../../core/outbox/effect-kind.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import * as sql from './store.ts';
import type { VotePanelTables } from './tables.ts';

declare module '../../core/outbox/effect-contents.ts' {
  interface EffectContents {
    /** Posts or updates the vote panel of a guild. */
    readonly votePanel: { readonly channelId: string; readonly guildId: string };
  }
  interface OwnerReports {
    /** The panel was deleted, or Discord does not let the bot post or change it. It is not shown any more. */
    readonly votePanelGone: { readonly panelChannelId: string };
  }
}

export const votePanel = {
  sql,
  tables: { vote_panels: { withoutMembers: 'Where the message of a guild is.' } },
  effects: { votePanel: fieldsFormat<EffectContents['votePanel']>({ channelId: ['string'], guildId: ['string'] }) },
  ownerReports: { votePanelGone: { panelChannelId: ['string'] } },
  deleteOfGuild: deleteRowsByKey<VotePanelTables>('vote_panels', 'guild_id', ['guild_id']),
} satisfies Feature<VotePanelTables>;
