export * from './tools/testing/client.ts'
