import { setting, showCredits } from '../../core/settings/setting-spec.ts';
import { wholeNumber } from '../../core/settings/value-schemas.ts';
import { giftLimitRule } from './gift.ts';

export const giftLimit = setting({
  path: 'rewards.giftLimit',
  description:
    'Members can give credits to each other with `/gift`, at most so many in a calendar day. Listings of one guild share it.',
  schema: wholeNumber(1, 1_000_000),
  isShared: true,
  isNeeded: true,
  canBeOff: true,
  inFile: ({ rewards }) => giftLimitRule.in(rewards),
  rules: (limit) => giftLimitRule.as(limit ?? null),
  show: showCredits,
  form: 'gifts',
  fields: [{ name: 'giftLimit', kind: 'number', hint: 'giftLimit', ifEmpty: null }],
});
