import type { OwnerReportContent } from '../../core/outbox/effect-contents.ts';
import type { EffectHandlers } from '../../core/outbox/perform.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { classifySendError } from '../../discord/discord-errors.ts';
import type { ChannelTexts } from '../../discord/guild-languages.ts';
import { postReply } from '../../discord/posting/post-reply.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { escapeText, lines, mention, roleMention, subtext } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import { renderPurchaseReport } from '../shop/messages.ts';

const maxReasonLength = 500;

/** Posts reports in the owner's channel. They ping nobody. */
export function createOwnerReportHandler(options: {
  rest: DiscordRest;
  textsOf: ChannelTexts;
}): NonNullable<EffectHandlers['ownerReport']> {
  const { rest, textsOf } = options;
  return async ({ content: { channelId, report }, createdAt, nonce }) => {
    try {
      await postReply(rest, channelId, { ...renderReport(report, await textsOf(channelId)), at: createdAt }, nonce);
      return { outcome: 'done' };
    } catch (error) {
      return classifySendError(error, { channelId, effects: 1 });
    }
  };
}

function renderReport(report: OwnerReportContent, texts: Texts): Reply {
  if (report.type !== 'roleFailed') return renderPurchaseReport(report, texts);
  const { role, userId, reason } = report;
  const { title, text, once } = texts.ownerReport.roleFailed;
  const failure = text(roleMention(role), mention(userId), escapeText(reason, maxReasonLength));
  return { tone: 'bad', title, text: lines(failure, subtext(once)) };
}
