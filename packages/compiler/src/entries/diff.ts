export type { Start } from '../dataplane/language.js'
export type { Starts } from '../dataplane/script-changes.js'
export type { Change, Create, Delete, Edit, Patch, Update } from '../diff/patch.js'
export type { Resource, Resources } from '../diff/resource.js'
export type { Splice } from '../diff/splice.js'
export {
  apply,
  assemble,
  type FamilyPatch,
  invert,
  isEmpty,
  type NodeResources,
  resources,
} from '../diff.js'
