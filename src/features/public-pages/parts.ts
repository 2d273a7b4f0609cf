import { createGuildReader } from '../../discord/guild-reader.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { createPublicRoutes, type RoutesContext } from './routes.ts';
import { createMemberSignIn } from './sign-in.ts';
import { createViews, type ViewContext } from './view.ts';

type PublicPagesContext = ServicesContext &
  Omit<RoutesContext, 'readView' | 'signIn' | 'publicUrl'> &
  Omit<ViewContext, 'reader'> & {
    readonly store: { readonly sessions: Parameters<typeof createMemberSignIn>[0]['revocations'] };
  };

export function createServices(context: PublicPagesContext) {
  const { config, rest, store, clock } = context;
  const { discord, clientSecret, publicUrl } = config;
  const hasBot = discord.token !== '';
  const signIn =
    clientSecret === null || publicUrl === null || !hasBot
      ? null
      : createMemberSignIn({
          ...{ clientSecret, publicUrl, rest, clock },
          apiUrl: discord.apiUrl,
          revocations: store.sessions,
        });
  const readView = createViews({ ...context, reader: hasBot ? createGuildReader({ rest, clock }) : null });
  return { routes: createPublicRoutes({ ...context, readView, signIn, publicUrl }) } satisfies FeatureServices;
}
