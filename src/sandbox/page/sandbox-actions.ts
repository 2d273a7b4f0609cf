import { action, user } from 'local-discord/page';
import { z } from 'zod';
import { faultActions, type PagePorts, tourNames } from './ports.ts';

const tour = z.enum(tourNames);
const vote = user.extend({ kind: z.enum(['server', 'bot']), site: z.string().max(50).optional() });

/** The actions of the sandbox's page besides using Discord. */
export function createSandboxActions(ports: PagePorts) {
  return {
    '/page/trouble': action(user.extend({ fault: z.enum(faultActions) }), async ({ fault, userId }) => ({
      message: await ports.injectFault(fault, userId),
    })),
    '/page/tour': action(z.object({ step: z.string().max(50) }), ({ step }) => ports.tours.finish(step)),
    '/page/chosen-tour': action(z.object({ tour }), (input) => ports.tours.choose(input.tour)),
    '/page/start-over': action(z.object({ linked: z.boolean(), tour }), (next) => ports.commandLine?.startOver(next)),
    '/page/doctor': action(z.object({}), async () => ({ findings: await ports.runDoctor() })),
    '/page/votes': action(vote, (input) => ports.castVote(input)),
  };
}

export type SandboxActions = ReturnType<typeof createSandboxActions>;
