import { escapeName, lines, markup, subtext } from '@tallyhook/platform/texts/markup';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import { type FeatureParts, type PartsContext, renderReport } from '../parts.ts';
import { type RateAlarm, rateAlarmReport } from './store.ts';

export function create({ lookups }: { readonly lookups: Pick<PartsContext['lookups'], 'displayName'> }) {
  return {
    ownerReports: [
      renderReport(rateAlarmReport, (alarm, texts) =>
        renderRateAlarm({ ...alarm, listing: lookups.displayName(alarm.listing) }, texts),
      ),
    ],
  } satisfies FeatureParts;
}

function renderRateAlarm({ listing, site, votes, usual }: RateAlarm, { text }: Texts): Reply {
  const names = { listing: escapeName(listing), site: escapeName(site) };
  const facts = text('ownerReport.alarm', {
    ...names,
    votes: text('parts.votes', { count: votes }),
    usual: text('parts.votes', { count: usual }),
  });
  const hint = text('ownerReport.alarmHint', { ...names, command: markup`\`tallyhook rewards alarms\`` });
  return { tone: 'bad', title: text('ownerReport.alarmTitle', names), text: lines(facts, subtext(hint)) };
}
