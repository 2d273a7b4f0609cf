import express from 'express';
import { receiver } from './receiver.ts';

export const app = express();
app.use(receiver.webhooks); // before express.json(), so that the receiver has the bytes of the body
app.use(express.json());
app.get('/', (_request, response) => {
  response.send('My page');
});

if (import.meta.main) {
  const server = app.listen(3000);
  process.once('SIGTERM', () => server.close(() => void receiver.stop()));
}
