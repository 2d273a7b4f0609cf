import { startPage } from 'local-discord/page/browser';
import { createSandboxStore, type SandboxChange } from './sandbox-store.ts';
import { startDoctor, startFaultPanel, startServicePanel } from './service-panel.ts';
import { startTimeline } from './timeline.ts';
import { startTours } from './tour-panel.ts';

startPage<SandboxChange>((page) => {
  const store = createSandboxStore(page);
  startServicePanel(store);
  startFaultPanel(store);
  startDoctor();
  startTimeline(store);
  startTours(store);
  return {
    emptyHint: 'Vote on the listing service, or type / below.',
    /** The local page of a site that the sandbox imitates, in place of the real one. */
    linkTo(url) {
      const site = store.state.listings.find((listing) => listing.site?.page === url)?.site;
      return site === undefined ? url : `${site.localPage}?as=${page.state.userId}`;
    },
  };
});
