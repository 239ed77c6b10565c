export type { Change, ChangeClass } from './addons/gate/change.ts'
export { type LogEntry, changelogOf } from './addons/gate/contract.ts'
export * from './addons/gate/documents.ts'
export { type ConsoleRoute, consoleUrls } from './addons/pages/console.ts'
export { type ConsoleOptions, apiConsole } from './preset/api-console.ts'
export type { OpenApiDocument } from './addons/openapi/document.ts'
export type { DocumentInfo } from './core/types/documents.ts'
export * from './addons/openapi/documents.ts'
export { openApi, type OpenApiOptions } from './addons/openapi/endpoint.ts'
export {
  type ContractJudge,
  type JudgedAnswer,
  type JudgedApp,
  type Verdict,
  contractJudge,
} from './addons/openapi/judge.ts'
export type {
  AnswerFacts,
  ErrorFacts,
  JSONSchema,
  OperationFacts,
  ParameterFacts,
  SecurityFacts,
  VersionCarrier,
} from './core/types/documents.ts'
