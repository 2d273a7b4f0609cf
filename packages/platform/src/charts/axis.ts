const maxSteps = 4;

/** The values of the horizontal lines of a chart, from 0 to the first round value that is not less than `max`. */
export function axisValues(max: number): readonly number[] {
  const step = roundStep(Math.max(1, max) / maxSteps);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step);
}

/** The smallest whole number of 1, 2, 2.5, 5, 10, 20, 25, … that is not less than `min`. */
function roundStep(min: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(min)));
  const factor = [1, 2, 2.5, 5].find((each) => each * power >= min && Number.isInteger(each * power)) ?? 10;
  return factor * power;
}

/** The figures of bars: their sum, their average, and the greatest value, to as many digits as are worth reading. */
export function summarize(values: readonly number[]) {
  const total = values.reduce((sum, value) => sum + value, 0);
  const exact = total / Math.max(1, values.length);
  const precision = exact < 1 ? 100 : exact < 10 ? 10 : 1;
  return { total, average: Math.round(exact * precision) / precision, most: Math.max(0, ...values) };
}
