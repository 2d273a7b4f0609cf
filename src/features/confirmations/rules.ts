import { addedValue } from '../../core/added-value.ts';

/** Whether the site is asked before a vote is paid: of the rules of a listing. */
export const confirmRule = addedValue('confirm', false);
