export { createClient, default as KeyvRedis } from '@keyv/redis';
