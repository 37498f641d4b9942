export {
  type AssumableCluster,
  type AssumableObjects,
  type AssumedObjects,
  type AssumeMissingOptions,
  assumeMissing,
} from './assume-missing.js'
export type { AssumedKind, AssumedValue } from './assumed-value.js'
