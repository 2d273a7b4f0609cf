import { z } from 'zod';

/** The page to open after signing in: only paths of this service, so that a link cannot redirect to another site. */
export const nextPath = z
  .string()
  .max(200)
  .regex(/^\/(?:[\w-][\w/-]*)?$/)
  .catch('/');
