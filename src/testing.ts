export {
  client,
  type RequestOptions,
  type TestClient,
  type TestResponse,
} from './testing/client.ts'
export { fakeClock, type FakeClock } from './testing/fake-clock.ts'
