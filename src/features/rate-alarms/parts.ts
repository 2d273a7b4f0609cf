import type { Reply } from '../../discord/commands/reply.ts';
import { escapeName, lines, markup, subtext } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import type { RateAlarm } from './effects.ts';

export function create({ lookups }: { readonly lookups: Pick<PartsContext['lookups'], 'displayName'> }) {
  return {
    ownerReports: {
      rateAlarm: (alarm, texts) => renderRateAlarm({ ...alarm, listing: lookups.displayName(alarm.listing) }, texts),
    },
  } satisfies FeatureParts;
}

function renderRateAlarm({ listing, site, votes, usual }: RateAlarm, { text, parts, messages }: Texts): Reply {
  const { alarmTitle, alarm, alarmHint } = messages.ownerReport;
  const names = { listing: escapeName(listing), site: escapeName(site) };
  const facts = text(alarm, { ...names, votes: parts.votes(votes), usual: parts.votes(usual) });
  const hint = text(alarmHint, { ...names, command: markup`\`tallyhook rewards alarms\`` });
  return { tone: 'bad', title: text(alarmTitle, names), text: lines(facts, subtext(hint)) };
}
