export {
  type HealthCheck,
  type HealthOptions,
  type HealthRoute,
  healthEndpoints,
  healthUrls,
} from './addons/operations/health.ts'
export { type ServerTimingOptions, serverTiming, together } from './addons/operations/observers.ts'
export {
  type EveryOptions,
  type ScheduledTask,
  type TaskRun,
  type TasksOptions,
  defineTasks,
  every,
} from './addons/operations/tasks.ts'
export {
  type RequestLogger,
  type RequestLogOptions,
  requestLog,
} from './addons/operations/request-log.ts'
export {
  type InstrumentMaker,
  type Metrics,
  type MetricsOptions,
  type ObservedInstrument,
  type OpenTelemetryMeters,
  defineMetrics,
} from './addons/operations/metrics.ts'
export {
  type OpenTelemetry,
  type SpanIds,
  type SpanMaker,
  type TraceSpan,
  type TracesOptions,
  traceparentOf,
  traces,
} from './addons/operations/traces.ts'
