import { addedValue } from '../../core/added-value.ts';

/**
 * Whether many more votes than usual are held for the owner, because anyone who sees a request can forge votes: of the rules of
 * a listing.
 */
export const rateAlarmRule = addedValue('rateAlarm', false);
