/*
 * The proof of work of the vote form, for the page and, as the same file, for its worker. For each puzzle it finds a
 * number for which the SHA-256 digest of "id.puzzle.number" begins with zero bits. crypto.subtle would be slower for
 * single blocks, and does not exist on pages without HTTPS.
 */
(() => {
  const constants = new Int32Array(64);
  const initial = new Int32Array(8);
  for (let candidate = 2, found = 0; found < 64; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) prime = false;
    if (!prime) continue;
    // The first 32 bits of the fraction of a root.
    if (found < 8) initial[found] = (candidate ** (1 / 2) % 1) * 2 ** 32;
    constants[found] = (candidate ** (1 / 3) % 1) * 2 ** 32;
    found += 1;
  }
  const schedule = new Int32Array(64);

  /** The first 32 bits of the digest of one block, which is in the first 16 words of the schedule. */
  function digest() {
    for (let i = 16; i < 64; i += 1) {
      const x = schedule[i - 15];
      const y = schedule[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      schedule[i] = (schedule[i - 16] + s0 + schedule[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = initial;
    for (let i = 0; i < 64; i += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + schedule[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    return (initial[0] + a) | 0;
  }

  const hex = (number, digits) => number.toString(16).padStart(digits, '0');

  function solve(id, puzzle, bits) {
    const prefix = `${id}.${hex(puzzle, 2)}.`;
    const block = new Int32Array(16);
    const put = (position, code) => {
      block[position >> 2] |= code << (24 - 8 * (position & 3));
    };
    for (let i = 0; i < prefix.length; i += 1) put(i, prefix.charCodeAt(i));
    // The number is the two words after the prefix, which is 28 characters long.
    block[9] = 0x80000000;
    block[15] = 36 * 8;
    const digits = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
    const word = (number) =>
      (digits[number >>> 12] << 24) |
      (digits[(number >>> 8) & 15] << 16) |
      (digits[(number >>> 4) & 15] << 8) |
      digits[number & 15];
    for (let number = 0; number < 2 ** 32; number += 1) {
      for (let i = 0; i < 16; i += 1) schedule[i] = block[i];
      schedule[7] = word(number >>> 16);
      schedule[8] = word(number & 0xffff);
      if (digest() >>> (32 - bits) === 0) return hex(number, 8);
    }
    throw new Error('no solution');
  }

  if (typeof document === 'undefined') {
    globalThis.onmessage = ({ data: { id, puzzles, bits } }) => {
      for (let puzzle = 0; puzzle < puzzles; puzzle += 1) postMessage(solve(id, puzzle, bits));
    };
    return;
  }

  const source = document.currentScript.src;

  /** Solves when the form is sent the first time, and then sends it. */
  function prepare(challenge) {
    const form = challenge.closest('form');
    const field = challenge.querySelector('[name="solutions"]');
    const progress = challenge.querySelector('progress');
    const status = challenge.querySelector('[role="status"]');
    const { challenge: id, puzzles, bits, checking, failed } = challenge.dataset;
    let started = false;

    form.addEventListener('submit', (event) => {
      if (field.value !== '') return;
      event.preventDefault();
      if (started) return;
      started = true;
      const worker = new Worker(source);
      const solutions = [];
      progress.hidden = false;
      status.textContent = checking;
      worker.onerror = () => {
        status.textContent = failed;
      };
      worker.onmessage = ({ data }) => {
        solutions.push(data);
        progress.value = solutions.length;
        if (solutions.length < Number(puzzles)) return;
        worker.terminate();
        field.value = solutions.join(',');
        form.requestSubmit();
      };
      worker.postMessage({ id, puzzles: Number(puzzles), bits: Number(bits) });
    });
    // A browser that goes back shows the page as it was, but its challenge was used.
    globalThis.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) location.reload();
    });
  }

  for (const challenge of document.querySelectorAll('[data-challenge]')) prepare(challenge);
})();
