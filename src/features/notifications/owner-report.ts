import { ownerReportKind } from '../../core/outbox/effect-kind.ts';
import { type EffectHandler, handle } from '../../core/outbox/perform.ts';
import { classifySendError } from '../../discord/discord-errors.ts';
import type { ChannelTexts } from '../../discord/languages.ts';
import { postReply } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { OwnerReportRenderer } from '../parts.ts';

/** Posts reports in the owner's channel. They ping nobody. */
export function createOwnerReportHandler(options: {
  rest: DiscordRest;
  types: readonly OwnerReportRenderer[];
  textsOf: ChannelTexts;
}): EffectHandler {
  const { rest, textsOf } = options;
  const types = new Map(options.types.map((each) => [each.type, each]));
  return handle(ownerReportKind, async ({ content: { channelId, report }, createdAt, nonce }) => {
    const type = types.get(report.type);
    if (type === undefined) {
      return { outcome: 'bury', reason: `This version does not post reports of the type "${report.type}".` };
    }
    try {
      await postReply(rest, channelId, { ...type.render(report, await textsOf(channelId)), at: createdAt }, nonce);
      return { outcome: 'done' };
    } catch (error) {
      return classifySendError(error, { channelId, effects: 1 });
    }
  });
}
