export type { Starts } from '../commands/change-commands.js'
export type { Start } from '../dataplane/tool-options.js'
export {
  applyPatch,
  assembleStates,
  type FamilyPatch,
  invertPatch,
  isEmptyPatch,
  type NodeResources,
  toResources,
} from '../diff/diff.js'
export type { Change, Create, Delete, Edit, Patch, Update } from '../patch/patch.js'
export type { Resource, Resources } from '../patch/resource.js'
export type { Splice } from '../patch/splice.js'
