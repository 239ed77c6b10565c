export type { DocumentInfo, OpenApiDocument } from './openapi/document.ts'
export * from './openapi/documents.ts'
export { openApi, type OpenApiOptions } from './openapi/endpoint.ts'
export type {
  AnswerFacts,
  ErrorFacts,
  JSONSchema,
  OperationFacts,
  ParameterFacts,
  SecurityFacts,
  VersionCarrier,
} from './types/documents.ts'
