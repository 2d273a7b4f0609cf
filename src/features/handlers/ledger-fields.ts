import { TallyhookError } from '../../platform/errors.ts';
import { isSnowflake } from '../../platform/snowflake.ts';

/* Checks of what a program passes to the ledger, which may have no type checker. They throw `ledger_invalid_change`. */

export function requireFields<Fields extends object>(fields: Fields): Fields {
  if (typeof fields === 'object' && fields !== null) return fields;
  throw invalidField('it must be an object with a "key" and a "reason", and for a new change "userId" and "credits"');
}

export function checkMember(name: string, id: unknown): void {
  if (!isSnowflake(id)) throw invalidField(`"${name}" must be a Discord ID: a string of digits`);
}

export function checkWhole(name: string, value: unknown, min: number, max: number): void {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  if (!isWhole) throw invalidField(`"${name}" must be a whole number from ${min} to ${max}`);
}

export function checkText(name: string, text: unknown, maxLength: number): void {
  if (typeof text !== 'string' || text.trim() === '' || text.length > maxLength)
    throw invalidField(`"${name}" must be a text of 1 to ${maxLength} characters`);
  // PostgreSQL cannot store it.
  if (text.includes('\0')) throw invalidField(`"${name}" must not contain the character NUL`);
}

export function checkOneOf(name: string, value: unknown, values: readonly string[]): void {
  if (!values.some((each) => each === value)) throw invalidField(`"${name}" must be one of ${values.join(', ')}`);
}

export function invalidField(issue: string): TallyhookError {
  return new TallyhookError('ledger_invalid_change', `What was passed to the ledger is not valid: ${issue}.`);
}
