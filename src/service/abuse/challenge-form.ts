import type { Request } from 'express';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import type { ChallengeContext, VoteChallenge } from './vote-challenge.ts';

interface Challenged {
  readonly challenge: VoteChallenge | null;
  readonly log: Log;
}

type Vote = Omit<ChallengeContext, 'address'>;

/** The part of the vote form; null without a challenge. The rest of the page does not depend on it. */
export async function renderChallenge(
  { challenge, log }: Challenged,
  request: Request,
  vote: Vote,
): Promise<Html | null> {
  if (challenge === null) return null;
  try {
    return await challenge.render(contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be rendered');
    return html`<p class="bad">${unavailable}</p>`;
  }
}

const unavailable = 'The check before the vote is not available at the moment. Please try again later.';

/** Whether a sent vote form passes the challenge. @throws HttpError 503 if the challenge fails itself */
export async function passesChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<boolean> {
  if (challenge === null) return true;
  try {
    return await challenge.verify(singleFields(request.body), contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be verified');
    throw new HttpError(503, unavailable, 30);
  }
}

function contextOf(request: Request, vote: Vote): ChallengeContext {
  return { ...vote, address: request.ip ?? '' };
}

function singleFields(body: unknown): Record<string, string> {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}
