import type { OwnerReportContent } from '../../core/outbox/effect-contents.ts';
import type { EffectHandlers } from '../../core/outbox/perform.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { classifySendError } from '../../discord/discord-errors.ts';
import type { ChannelTexts } from '../../discord/guild-languages.ts';
import { postReply } from '../../discord/posting/message-request.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { OwnerReportTypes } from '../parts.ts';

/** Posts reports in the owner's channel. They ping nobody. */
export function createOwnerReportHandler(options: {
  rest: DiscordRest;
  types: OwnerReportTypes;
  textsOf: ChannelTexts;
}): NonNullable<EffectHandlers['ownerReport']> {
  const { rest, types, textsOf } = options;

  function render(report: OwnerReportContent, texts: Texts): Reply {
    // TypeScript does not relate the type of a report to the parameter of its function.
    const renderType = types[report.type] as (each: OwnerReportContent, texts: Texts) => Reply;
    return renderType(report, texts);
  }

  return async ({ content: { channelId, report }, createdAt, nonce }) => {
    try {
      await postReply(rest, channelId, { ...render(report, await textsOf(channelId)), at: createdAt }, nonce);
      return { outcome: 'done' };
    } catch (error) {
      return classifySendError(error, { channelId, effects: 1 });
    }
  };
}
