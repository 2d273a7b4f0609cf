import { type Finding, fail, pass, warn } from '../../../platform/doctor/check.ts';
import { formatCount, formatDuration, hour, minute, pluralize } from '../../../platform/durations.ts';
import { type Queries, type QueueState, readQueueState } from '../../storage/deliveries/queue-state.ts';

/** Normal delay of a delivery that is due (ms). */
const maxNormalDelayMs = 5 * minute;
/** A webhook that has only failed for so long is mentioned (ms). */
const minFailingMs = 1 * hour;

/** Webhooks of listings, and the queue of deliveries to them. */
interface WebhookState extends QueueState {
  /** Webhooks that only fail, and are not paused yet. */
  readonly failing: number;
}

/** @param now ms since the epoch */
export async function checkWebhooks(queries: Queries, now: number): Promise<Finding[]> {
  const { db, run } = queries;
  const [failing] = await run(
    db
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('paused_at', 'is', null)
      .where('failing_since', '<=', now - minFailingMs),
  );
  return evaluateWebhooks({ ...(await readQueueState(queries, now)), failing: Number(failing?.count ?? 0) }, now);
}

export function evaluateWebhooks({ waiting, dueSince, paused, failing }: WebhookState, now: number): Finding[] {
  const findings = [evaluateDelay(waiting, dueSince === null ? 0 : now - dueSince)];
  if (paused > 0) {
    const message = `${formatCount(paused, 'webhook')} ${pluralize(paused, 'is', 'are')} paused.`;
    findings.push(warn(message, 'Their owners resume them on the dashboard. Their deliveries wait meanwhile.'));
  }
  if (failing > 0) {
    const message = `${formatCount(failing, 'webhook')} ${pluralize(failing, 'has', 'have')} only failed for an hour.`;
    findings.push(warn(message, 'If these are most of the webhooks, check the network and the DNS of this machine.'));
  }
  return findings;
}

function evaluateDelay(waiting: number, delayMs: number): Finding {
  if (delayMs <= maxNormalDelayMs) return pass(`No webhook delivery is late; ${waiting} wait.`);
  return fail(
    `A webhook delivery has been due for ${formatDuration(delayMs)}; ${waiting} wait.`,
    'Check that the service runs, and that its /readyz is 200.',
  );
}
