import { systemClock } from '@tallyhook/platform/clock';
import { createAnnouncer } from '../../src/features/announcements/parts.ts';
import { plainStyle } from '../../src/features/settings.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';

type AnnouncerContext = Parameters<typeof createAnnouncer>[0];

/** An announcer in the style of tallyhook, which knows neither listings nor members. */
export function plainAnnouncer(
  context: Pick<AnnouncerContext, 'rest' | 'log'> & Partial<AnnouncerContext>,
  votesOf: Parameters<typeof createAnnouncer>[1] = async () => 0,
) {
  const portraits = { ofMember: async () => null, iconOf: async () => null };
  const unknown = {
    ...{ languages: ownTexts, channelTexts: async () => textsIn('en-US'), cardOf: async () => null, portraits },
    ...{ announcements: { styleOf: () => plainStyle }, voteButtons: () => [], clock: systemClock },
  };
  return createAnnouncer({ ...unknown, ...context }, votesOf);
}
