import { element, find } from './element.js';

/** What a newcomer could do first; each is ticked off when it was done. */
const hints = [
  {
    done: (tried) => tried.has('vote'),
    text: [
      'Press ',
      ['strong', 'Vote'],
      ': a thank-you appears in ',
      ['strong', '#votes'],
      ', and the credits arrive.',
    ],
  },
  {
    done: (tried) => tried.has('canvote'),
    text: ['Type ', ['code', '/canvote'], ' in the message box: may you vote again?'],
  },
  {
    done: (tried) => tried.has('reviews') || tried.has('stats'),
    text: [
      'Try ',
      ['code', '/reviews'],
      ' and turn its pages, or ',
      ['code', '/stats'],
      '. You can act as somebody else, too.',
    ],
  },
];

export function startHints(store) {
  function draw() {
    const items = hints.map(({ done, text }) => {
      const isDone = done(store.state.tried);
      const parts = text.map((part) => (typeof part === 'string' ? part : element(part[0], {}, part[1])));
      const mark = isDone ? element('span', { class: 'visually-hidden' }, 'Done: ') : null;
      return element('li', { class: isDone ? 'done' : '' }, mark, ...parts);
    });
    find('hints').replaceChildren(...items);
    find('hints-panel').hidden = hints.every(({ done }) => done(store.state.tried));
  }
  draw();
  store.subscribe((kind) => {
    if (kind === 'tried') draw();
  });
}
