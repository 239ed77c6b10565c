import { OrderByNode, type SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type {
  Condition,
  ListSource,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../contract/source.ts'
import type { Database } from '../contract/storage.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { unfitValue } from '../errors/unfit-value.ts'
import { after } from '../std/after.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { factsOf, starNames } from './column-facts.ts'
import { type Compile, compilerOf } from './compiler.ts'
import { checkOperator, conditionNode } from './conditions.ts'
import {
  type Field,
  type FieldQuery,
  type NamedQuery,
  fieldQuery,
  saidNames,
  unknownField,
} from './fields.ts'
import { kindOf } from './kinds/kind-of.ts'
import { type Truth, or } from './nodes.ts'
import { refusing } from './refusals.ts'
import { SeekPlan } from './seek-plan.ts'
import { SeekStatements, narrowed, withHidden } from './seek-statements.ts'
import { type ComparedTerm, orderItems } from './terms.ts'
import { windowOf } from './window.ts'
