import type { SetDefinition } from '../ast.js'

/** Returns the types of the components of a set key. For a `typeof` key, the list is empty. */
export function keyTypesOf({ key }: SetDefinition): readonly string[] {
  return key.kind === 'type' ? key.types : []
}
