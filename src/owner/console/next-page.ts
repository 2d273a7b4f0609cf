import { z } from 'zod';

/** The page to open after signing in: only paths of the console, so that a link cannot redirect to another site. */
export const nextPage = z
  .string()
  .regex(
    /^(?:servers\/(?:\d{1,20}\/)?)?(?:(?:deliveries|effects|users|listings|rewards|announcements|settings|changes)(?:\/[\w-]{1,40}){0,3})?(?:\?[\w=&%.+:-]{0,500})?$/,
  )
  .catch('');
