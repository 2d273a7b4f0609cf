export { default as KeyvRedis } from '@keyv/redis';
