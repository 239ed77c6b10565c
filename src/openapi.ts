export type { Change, ChangeClass } from './changes/change.ts'
export { type LogEntry, changelogOf } from './changes/contract.ts'
export * from './changes/documents.ts'
export * from './openapi/console.ts'
export type { DocumentInfo, OpenApiDocument } from './openapi/document.ts'
export * from './openapi/documents.ts'
export { openApi, type OpenApiOptions } from './openapi/endpoint.ts'
export {
  type ContractJudge,
  type JudgedAnswer,
  type JudgedApp,
  type Verdict,
  contractJudge,
} from './openapi/judge.ts'
export type {
  AnswerFacts,
  ErrorFacts,
  JSONSchema,
  OperationFacts,
  ParameterFacts,
  SecurityFacts,
  VersionCarrier,
} from './types/documents.ts'
