/** True if a date such as `2026-02-30` exists. `Date` parses that one as 2 March, and rejects only days above 31. */
export function isOnCalendar(yearMonthDay: string): boolean {
  const dayOfMonth = Number(yearMonthDay.slice(8));
  return dayOfMonth <= 28 || new Date(`${yearMonthDay}T00:00:00Z`).getUTCDate() === dayOfMonth;
}
