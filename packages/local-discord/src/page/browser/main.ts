import { startActivity } from './activity.ts';
import { startPage } from './page.ts';

startPage((store) => {
  startActivity(store);
  return { emptyHint: 'Type / below to use a command.', linkTo: (url) => url };
});
