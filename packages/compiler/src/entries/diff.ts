export type { Starts } from '../commands/script-changes.js'
export type { Start } from '../dataplane/tool-options.js'
export {
  apply,
  assemble,
  type FamilyPatch,
  invert,
  isEmpty,
  type NodeResources,
  resources,
} from '../diff/diff.js'
export type { Change, Create, Delete, Edit, Patch, Update } from '../patch/patch.js'
export type { Resource, Resources } from '../patch/resource.js'
export type { Splice } from '../patch/splice.js'
