export type { Starts } from '../commands/script-changes.js'
export type { Start } from '../dataplane/tool-options.js'
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
