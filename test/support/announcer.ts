import { systemClock } from '@tallyhook/platform/clock';
import { Announcer } from '../../src/features/announcements/parts.ts';
import { plainStyle } from '../../src/features/settings.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';

type AnnouncerContext = ConstructorParameters<typeof Announcer>[0];

/** An announcer in the style of tallyhook, which knows neither listings nor members. */
export function plainAnnouncer(
  context: Pick<AnnouncerContext, 'rest' | 'log'> & Partial<AnnouncerContext>,
  votesOf: ConstructorParameters<typeof Announcer>[1] = async () => 0,
) {
  const portraits = { ofMember: async () => null, iconOf: async () => null };
  const unknown = {
    ...{ languages: ownTexts, channelTexts: async () => textsIn('en-US'), cardOf: async () => null, portraits },
    ...{ announcements: { styleOf: () => plainStyle }, voteButtons: () => [], clock: systemClock },
  };
  const announcer = new Announcer({ ...unknown, ...context }, votesOf);
  return (effects: Parameters<Announcer['announce']>[0]) => announcer.announce(effects);
}
