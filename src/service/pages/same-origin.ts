import type { RequestHandler } from 'express';
import { isOwnHost } from '../../web/host.ts';
import { isFromElsewhere } from '../../web/same-origin.ts';
import { PageError } from './page-error.ts';

/** Refuses forms that another site sent. */
export const sameOriginOnly: RequestHandler = (request, _response, next) => {
  if (request.method === 'POST' && isFromElsewhere(request.headers)) throw foreign;
  next();
};

const foreign = new PageError(403, 'This form was not sent from a page of this service.');

/** Refuses requests to a name that is not ours: where anybody may act as any member, another site's script must not pass for a visitor. */
export function ownHostOnly(origin: string): RequestHandler {
  return ({ headers }, _response, next) => {
    if (!isOwnHost(headers.host, origin)) throw foreignHost;
    next();
  };
}

const foreignHost = new PageError(
  403,
  'Here every visitor may act as any member, so these pages answer to the names of this machine only. Give any other name with --public-url.',
);
