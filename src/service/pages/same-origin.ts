import type { RequestHandler } from 'express';
import { isFromElsewhere } from '../../pages/same-origin.ts';
import { PageFault } from './fault.ts';

/** Refuses forms that another site sent. */
export const sameOriginOnly: RequestHandler = (request, _response, next) => {
  if (request.method === 'POST' && isFromElsewhere(request.headers)) throw foreign;
  next();
};

const foreign = new PageFault(403, 'This form was not sent from a page of this service.');
