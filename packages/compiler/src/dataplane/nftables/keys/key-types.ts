import type { SetDefinition } from '../ast.js'

/** Returns the types of the components of a set key; an empty list for `typeof`. */
export function keyTypesOf({ key }: SetDefinition): readonly string[] {
  return key.kind === 'type' ? key.types : []
}
