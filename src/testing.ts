export * from './testing/client.ts'
export * from './testing/fake-clock.ts'
export * from './testing/request.ts'
