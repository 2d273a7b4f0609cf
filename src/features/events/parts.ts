import { escapeName, lines, subtext } from '@tallyhook/platform/texts/markup';
import { type FeatureParts, renderReport } from '../parts.ts';
import { webhookPausedReport } from './store.ts';

export function create(_context: object) {
  return {
    ownerReports: [
      renderReport(webhookPausedReport, ({ host, reason }, { text }) => ({
        tone: 'bad',
        title: text('ownerReport.webhookPausedTitle'),
        text: lines(
          text('ownerReport.webhookPaused', { host: escapeName(host), reason: escapeName(reason, 300) }),
          subtext(text('ownerReport.webhookPausedHint')),
        ),
      })),
    ],
  } satisfies FeatureParts;
}
